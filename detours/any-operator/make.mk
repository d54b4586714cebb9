OPS_any-operator := sum max min prod
MORE_OP := ; another operator is for any-operator alone
