print("alcedo")
