import { type Address, type Hex, parseSignedTx } from '@pit/chain'
import { type Answer, CHAIN_ID } from '@pit/protocol'
import { keccak256, recoverTransactionAddress } from 'viem'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { isRefusal, refuse } from '../errors.ts'
import { checkExecutor } from './owners.ts'
import { broadcast } from './sendOwn.ts'
import { waitMined } from './sendSigned.ts'

const WAIT_S = 60

/**
 * Has a stopped agent's gas sent home. The signed transfer must come from the agent's attested executor, go to the
 * owner's own wallet, and be mined by the client's own node.
 * @param agentId a stopped agent
 * @param options `signal`
 * @returns the transfer
 * @throws REFUND_TO the transfer is not to the owner, not from the executor, or not mined
 * @example
 * ```ts
 * const refund = (id: string) => client.hosted.refundGas(id)
 * ```
 */
export async function refundGas(
  deps: ClientDeps,
  agentId: string,
  options: VerbOptions = {},
): Promise<Answer<'hosted.refund_gas'>> {
  const answer = await deps.api['hosted.refund_gas']({ params: { id: agentId } }, options)
  const raw = String(answer.raw) as Hex
  const look = (why: string, details: object = {}): never =>
    refuse('REFUND_TO', why, { retry: 'look_first', raw: answer.raw, ...details })
  const sender = await senderOf(deps, raw, answer)
  if (sender === null) return look('check where the executor’s gas went')
  if (!(await isExecutor(deps, agentId, sender, options)))
    return look(`it comes from ${sender}, which is not the agent’s executor`, { sender })
  const hash = keccak256(raw)
  const deadlineS = Math.floor(deps.nowMs() / 1000) + WAIT_S
  try {
    // A service that signs and does not relay changes nothing: the owner's node sends the same bytes.
    await broadcast(deps, raw, hash, options)
    await waitMined(deps, hash, { deadlineS, signal: options.signal })
  } catch (error) {
    if (!isRefusal(error)) throw error
    return look(`the transfer ${hash} is not mined (${error.code})`, { tx_hash: hash })
  }
  return answer
}

/** Who signed it; null unless it is a plain transfer to the owner that says what the answer says. */
async function senderOf(
  { account }: ClientDeps,
  raw: Hex,
  answer: Answer<'hosted.refund_gas'>,
): Promise<Address | null> {
  const own = account.address
  const parsed = parseSignedTx(raw)
  const isPlain =
    parsed.ok &&
    parsed.tx.type === 2 &&
    parsed.tx.to?.toLowerCase() === own &&
    parsed.tx.data === '0x' &&
    parsed.tx.chainId === CHAIN_ID &&
    String(answer.to).toLowerCase() === own &&
    String(answer.value_wei) === parsed.tx.value.toString() &&
    String(answer.tx_hash).toLowerCase() === keccak256(raw)
  if (!isPlain) return null
  const serializedTransaction = raw as `0x02${string}`
  const sender = await recoverTransactionAddress({ serializedTransaction }).catch(() => null)
  const isNamed = sender?.toLowerCase() === String(answer.executor).toLowerCase()
  return sender && isNamed ? (sender.toLowerCase() as Address) : null
}

/** By the local record; an executor that was rotated since is proven by the co-signer's attestation. */
async function isExecutor(
  deps: ClientDeps,
  agentId: string,
  sender: Address,
  options: VerbOptions,
): Promise<boolean> {
  if ((await deps.records.agent(agentId))?.executor === sender) return true
  try {
    const { executor_attestation } = await deps.api['hosted.executor']({ params: { id: agentId } }, options)
    await checkExecutor(deps, { id: agentId, executor: sender, executor_attestation })
    return true
  } catch (error) {
    if (isRefusal(error) || error instanceof TypeError) return false
    throw error
  }
}
