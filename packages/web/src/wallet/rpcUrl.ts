/** This server's JSON-RPC for wallets, used if neither the visitor nor the pins set a node. */
export const walletRpcUrl = (): string => `${window.location.origin}/rpc`
