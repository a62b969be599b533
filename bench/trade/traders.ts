import type { Hex } from '@pit/chain'
import { keccak256, numberToHex, stringToHex } from 'viem'
import { openParty, type SessionTrade } from '../../e2e/session/party.ts'
import type { SessionWorld } from '../../e2e/session/world.ts'
import { type Plan, receiptOf } from '../../e2e/trading/trader.ts'
import { grantSession } from './grantSession.ts'
import { post, type Timed } from './measure.ts'

const ETH = 10n ** 18n
export const TRADE = { token_in: 'ETH', token_out: 'USDG', amount_in: (ETH / 1_000n).toString() }

/** A funded owner and executor. Calls are the owner's and throw if they are refused. */
export async function openTraders({ server, devnet, fund }: SessionWorld, bench: string) {
  const open = (name: string) => openParty(server.url, keccak256(stringToHex(`${bench} bench ${name}`)))
  const [owner, executor] = [await open('owner'), await open('executor')]
  for (const { wallet } of [owner, executor]) await fund(wallet, { wei: 1_000n * ETH })

  const timed = async <T>(path: string, body: object): Promise<Timed<T>> => {
    const answer = await post<T & { error?: object }>(`${server.url}/api/v1/${path}`, body, {
      authorization: `Bearer ${owner.key}`,
    })
    if (answer.status !== 200) throw new Error(`${path}: ${JSON.stringify(answer.body.error)}`)
    return answer
  }
  const call = async <T>(path: string, body: object): Promise<T> => (await timed<T>(path, body)).body

  /** Signed trades of a wallet that has sent nothing yet. */
  async function signTrades(count: number): Promise<{ raw: Hex; hash: Hex }[]> {
    const signed: { raw: Hex; hash: Hex }[] = []
    for (let nonce = 0; nonce < count; nonce++) {
      const plan = await call<Plan>('live/prepare', { wallet: owner.wallet, ...TRADE, slippage_bps: 200 })
      signed.push(owner.sign(plan.tx!, { nonce }))
    }
    return signed
  }

  /** The request of a session trade, after a first one that set the wallet's code. */
  async function openSession(terms: object = {}) {
    const request = { session_id: await grantSession(owner, executor.wallet, terms), ...TRADE }
    const { tx } = await call<SessionTrade>('live/session/trade', request)
    const raw_tx = await executor.signTx(tx!)
    const { tx_hash } = await call<{ tx_hash: Hex }>('live/submit', { raw_tx })
    await receiptOf(devnet, tx_hash)
    await devnet.rpc('hardhat_setBalance', [owner.wallet, numberToHex(1_000n * ETH)])
    return request
  }
  return { owner, timed, call, signTrades, openSession }
}
