"""The database: tables, transactions, and one module per noun with the functions over its rows.

Each function of these modules is a transaction. It returns rows as immutable values without lazy
loading. It takes the context of a request only if it is limited to the project of the context.
"""
