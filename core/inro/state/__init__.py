"""What this user's machine remembers beside the library: chats, attached shelves, answers to be reviewed.

Rule: none of it is in the index file, which may be given away; losing it loses no knowledge.
"""
