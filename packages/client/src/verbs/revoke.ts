import type { Address, Hex } from '@pit/chain'
import type { Answer, BodyInput } from '@pit/protocol'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must, readingAnswer } from '../errors.ts'
import { given } from '../own/rpc.ts'
import { stepOf, type UnsignedStep } from '../verify/facts.ts'
import { type Receipt, sendSigned, waitMined } from './sendSigned.ts'

/** disableDelegation((address,address,bytes32,(address,bytes,bytes)[],uint256,bytes)) */
const DISABLE = '0x49934047'
const APPROVE_NOTHING = /^0x095ea7b30{24}[0-9a-f]{40}0{64}$/
/** lockdown((address,address)[]) */
const LOCKDOWN = '0xcc53287f'
const WAIT_S = 120

type StepTx = { chain_id: number; from: string; to: string; value: string; data: string; gas: string }

/** Takes approvals back: the client signs nothing but approvals of nothing and Permit2's lockdown. */
export async function revokeApprovals(
  deps: ClientDeps,
  ask: Omit<BodyInput<'live.revoke'>, 'wallet'> = {},
  options: VerbOptions = {},
): Promise<Receipt[]> {
  await deps.checked()
  const { pins, account } = deps
  const answer = await deps.api['live.revoke']({ body: { ...ask, wallet: account.address } }, options)
  const steps = await readingAnswer('RECIPIENT', () =>
    answer.steps.map(({ tx }) => {
      if (!tx) return broken('RECIPIENT', 'a step has no transaction')
      const step = stepOf(tx)
      const takesBack =
        APPROVE_NOTHING.test(step.data) || (step.to === pins.permit2 && step.data.startsWith(LOCKDOWN))
      must(takesBack && step.value === 0n, 'RECIPIENT', 'a step does more than take an approval back')
      return { step, tx }
    }),
  )
  return sendAll(deps, steps, options)
}

/** Ends a session at the service and the co-signer, and on chain by the owner's own transactions. */
export async function revokeSession(
  deps: ClientDeps,
  { sessionId, onChain = true }: { sessionId: string; onChain?: boolean },
  options: VerbOptions = {},
): Promise<{ revoked: Answer<'live.session.revoke'>; receipts: Receipt[] }> {
  const revoked = await deps.api['live.session.revoke']({ body: { session_id: sessionId } }, options)
  if (!onChain) return { revoked, receipts: [] }
  const steps = await readingAnswer('RECIPIENT', () =>
    (revoked.on_chain as unknown as { tx: StepTx }[]).map(({ tx }) => {
      const step = stepOf(tx)
      const disables = step.to === deps.pins.addresses.manager && step.data.startsWith(DISABLE)
      must(disables && step.value === 0n, 'RECIPIENT', 'a step does more than end the session')
      return { step, tx }
    }),
  )
  return { revoked, receipts: await sendAll(deps, steps, options) }
}

/** Signs the owner's own steps, one after the other is mined. */
export async function sendAll(
  deps: ClientDeps,
  steps: readonly { step: UnsignedStep; tx: StepTx }[],
  { signal }: VerbOptions,
): Promise<Receipt[]> {
  if (steps.length === 0) return []
  const { rpc, account, pins } = deps
  const [nonce, block] = await rpc.all(
    [
      { method: 'eth_getTransactionCount', params: [account.address, 'pending'] },
      { method: 'eth_getBlockByNumber', params: ['latest', false] },
    ],
    signal,
  )
  const baseFeeWei = BigInt(given<{ baseFeePerGas?: Hex }>(block).baseFeePerGas ?? '0x0')
  const first = Number(BigInt(given(nonce)))
  const deadlineS = Math.floor(deps.nowMs() / 1000) + WAIT_S
  const receipts: Receipt[] = []
  for (const [i, { step, tx }] of steps.entries()) {
    const transaction = {
      type: 'eip1559' as const,
      chainId: pins.profile.chain_id,
      nonce: first + i,
      to: step.to as Address,
      value: 0n,
      data: step.data,
      gas: BigInt(tx.gas),
      maxPriorityFeePerGas: 0n,
      maxFeePerGas: 2n * baseFeeWei,
    }
    const [hash] = await sendSigned(deps, [transaction], { deadlineS, signal })
    receipts.push(await waitMined(deps, hash!, { deadlineS, signal }))
  }
  return receipts
}
