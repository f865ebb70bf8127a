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

STATUSES = (IN_PROGRESS, FAILED, COMPLETE) = ('IN_PROGRESS', 'FAILED', 'COMPLETE')
