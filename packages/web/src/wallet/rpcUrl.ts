/** This server's JSON-RPC for wallets, used if neither pins nor visitor name a node. */
export const walletRpcUrl = (): string => `${window.location.origin}/rpc`
