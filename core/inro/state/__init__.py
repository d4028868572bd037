"""What this user's machine remembers beside the library: chats.

Rule: none of it is in the index file, which may be given away; losing it loses no knowledge.
"""
