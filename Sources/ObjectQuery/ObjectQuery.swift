// ObjectQuery: filters as text and tree, plans over rows, sorting. Does not know where rows come from.
