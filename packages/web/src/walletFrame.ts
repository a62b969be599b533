import '@pit/trading-wallet/frame'
