"""Short and lay forms, spellings and concepts, by rules. Pure.

The site's own are read by `retrieval.prepared`.
"""
