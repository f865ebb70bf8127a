"""What is kept: tables, transactions, and one module a noun with the functions over them.

A function of these modules is a transaction. It returns rows as plain, immutable values; nothing is loaded behind a reader's back.
"""
