"""What a hospital asks for before it switches the site on, written from what is running."""
