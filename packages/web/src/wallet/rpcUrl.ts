/** This server's face for wallets: what a wallet is pointed at where there is no other node. */
export const walletRpcUrl = (): string => `${window.location.origin}/rpc`
