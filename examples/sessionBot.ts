import { isRefusal } from '@pit/client'
import { createWalletClient, formatUnits, http, parseEther, publicActions } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { connect, privateKey, rpcUrl } from './connect.ts'

// A bot that trades for a wallet without the wallet's key. Its own key pays gas and can trade inside the
// session's bounds: these tokens, this much, until then. The chain and the co-signer keep it there.

const owner = await connect()
const botKey = generatePrivateKey()
const bot = await connect(botKey)

// The bot needs a little ETH for gas, and nothing else. It is mined before the session is granted: a plain wallet's
// grant is for its next nonce.
const account = privateKeyToAccount(privateKey())
const wallet = createWalletClient({ account, transport: http(rpcUrl) }).extend(publicActions)
const hash = await wallet.sendTransaction({ chain: null, to: bot.address, value: parseEther('0.01') })
await wallet.waitForTransactionReceipt({ hash })

const { active } = await owner.grantSession(
  {
    executor: bot.address,
    tokens: ['ETH', 'USDG'],
    max_trade_usd: 10,
    max_day_usd: 15,
    max_trades: 5,
    expires_in_s: 3_600,
    // No token is approved: this bot sells ETH only.
    setup_budget_usd: 0,
  },
  // A plain wallet gets the delegator's code with the first trade (EIP-7702).
  { allow7702: true },
)
console.log(`session   ${active.session_id}: ten dollars a trade, fifteen a day`)

try {
  for (const notional_usd of [5, 12, 8, 5]) {
    // One id for each intended trade, reused on a retry: it is co-signed once.
    const client_id = `bot-${Date.now()}`
    const pair = { token_in: 'ETH', token_out: 'USDG', notional_usd, client_id }
    const request = { ...pair, session_id: active.session_id, wallet: owner.address }
    try {
      const { amountOut, receipt } = await bot.sessionTrade(request)
      console.log(`$${notional_usd}        ${formatUnits(amountOut!, 6)} USDG in block ${receipt.block}`)
    } catch (error) {
      if (!isRefusal(error)) throw error
      console.log(`$${notional_usd}        refused: ${error.code}`)
    }
  }
} finally {
  const { receipts } = await owner.revokeSession({ sessionId: active.session_id })
  console.log(`revoked   by ${receipts.length} transactions of the owner`)
}
