OPS_any-operator := sum max min prod
