"""Actions and statuses of stacks and resources, as the API names them."""

ACTIONS = (
    INIT,
    CREATE,
    DELETE,
    UPDATE,
    ROLLBACK,
    SUSPEND,
    RESUME,
    ADOPT,
    SNAPSHOT,
    CHECK,
    RESTORE,
) = (
    'INIT',
    'CREATE',
    'DELETE',
    'UPDATE',
    'ROLLBACK',
    'SUSPEND',
    'RESUME',
    'ADOPT',
    'SNAPSHOT',
    'CHECK',
    'RESTORE',
)

#: actions of a stack that add and delete no rows of resources
KEEPING = (SUSPEND, RESUME, CHECK, SNAPSHOT)

STATUSES = (IN_PROGRESS, FAILED, COMPLETE) = ('IN_PROGRESS', 'FAILED', 'COMPLETE')
