"""What a doubt about the text that was read is worth."""
