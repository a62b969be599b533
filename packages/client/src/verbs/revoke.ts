import {
  type Address,
  decodeDelegations,
  delegationManagerAbi,
  type Hex,
  permit2Abi,
  readRoot,
} from '@pit/chain'
import type { Answer, BodyInput } from '@pit/protocol'
import { decodeFunctionData, encodeFunctionData } from 'viem'
import type { ClientDeps, VerbOptions } from '../deps.ts'
import { broken, must, readingAnswer } from '../errors.ts'
import { given } from '../own/rpc.ts'
import { stepOf, type UnsignedStep } from '../verify/facts.ts'
import { hashing } from '../verify/grant.ts'
import { gasOf, mustBeOnce } from '../verify/readPlan.ts'
import { type Receipt, sendSigned, waitMined } from './sendSigned.ts'
import { named } from './trade.ts'

/** disableDelegation((address,address,bytes32,(address,bytes,bytes)[],uint256,bytes)), its offset with it. */
const DISABLE = /^0x49934047(0{62}20)(.*)$/
const APPROVE_NOTHING = /^0x095ea7b30{24}([0-9a-f]{40})0{64}$/
/** lockdown((address,address)[]) */
const LOCKDOWN = '0xcc53287f'
const WAIT_S = 120

type StepTx = { chain_id: number; from: string; to: string; value: string; data: string; gas: string }
export type RevokeAsk = Omit<BodyInput<'live.revoke'>, 'wallet'>

/** Takes approvals back: the client signs nothing but approvals of nothing and Permit2's lockdown. */
export async function revokeApprovals(
  deps: ClientDeps,
  ask: RevokeAsk = {},
  options: VerbOptions = {},
): Promise<Receipt[]> {
  await deps.checked()
  const { account } = deps
  const answer = await deps.api['live.revoke']({ body: { ...ask, wallet: account.address } }, options)
  const steps = await readingAnswer('RECIPIENT', () =>
    answer.steps.map(({ tx }) => {
      if (!tx) return broken('RECIPIENT', 'a step has no transaction')
      const step = stepOf(tx)
      must(step.value === 0n, 'RECIPIENT', 'a step sends ether')
      checkTakesBack(deps, ask, step)
      return { step, gas: gasOf(deps.pins, tx) }
    }),
  )
  return sendAll(deps, steps, options)
}

/** Of the tokens named, and from the spender named: Permit2 by default, with what it lets others take. */
function checkTakesBack({ pins }: ClientDeps, ask: RevokeAsk, { to, data }: UnsignedStep): void {
  const tokens = (ask.tokens ?? ['USDG']).map((name) => named(pins, name))
  const spender = (ask.spender ?? pins.permit2).toLowerCase()
  const approval = APPROVE_NOTHING.exec(data)
  if (approval) {
    must(tokens.includes(to), 'RECIPIENT', 'a step is of a token that was not named', { token: to })
    must(`0x${approval[1]}` === spender, 'RECIPIENT', 'a step is of another spender than the one named')
    return
  }
  const isLockdown = to === pins.permit2 && data.startsWith(LOCKDOWN)
  must(isLockdown, 'RECIPIENT', 'a step does more than take an approval back')
  const { args } = decodeFunctionData({ abi: permit2Abi, data })
  const [pairs] = args as unknown as [readonly { token: Address; spender: Address }[]]
  const again = encodeFunctionData({ abi: permit2Abi, functionName: 'lockdown', args: [pairs] })
  must(again === data, 'RECIPIENT', 'the lockdown cannot be read')
  const stray = pairs.find(({ token }) => !tokens.includes(token.toLowerCase() as Address))
  must(stray === undefined, 'RECIPIENT', 'a lockdown is of a token that was not named', { ...stray })
}

/**
 * Ends a session at the service and the co-signer, and on chain by the owner's own transactions. Name its roots'
 * hashes where you kept them: without them it could be another session of the wallet that is ended.
 */
export async function revokeSession(
  deps: ClientDeps,
  {
    sessionId,
    rootHashes = deps.granted.get(sessionId),
    onChain = true,
  }: { sessionId: string; rootHashes?: readonly Hex[] | undefined; onChain?: boolean },
  options: VerbOptions = {},
): Promise<{ revoked: Answer<'live.session.revoke'>; receipts: Receipt[] }> {
  await deps.checked()
  const revoked = await deps.api['live.session.revoke']({ body: { session_id: sessionId } }, options)
  if (!onChain) return { revoked, receipts: [] }
  const steps = await readingAnswer('RECIPIENT', () =>
    (revoked.on_chain as unknown as { tx: StepTx }[]).map(({ tx }) => {
      const step = stepOf(tx)
      const isCall = step.to === deps.pins.addresses.manager && step.value === 0n
      must(isCall, 'RECIPIENT', 'a step does more than end the session')
      return { step, gas: gasOf(deps.pins, tx), ends: rootEndedBy(deps, rootHashes, step.data) }
    }),
  )
  // One after the other by their hashes: the server has no say in which comes first.
  steps.sort((a, b) => (a.ends < b.ends ? -1 : 1))
  const left = (rootHashes ?? []).filter((hash) => !steps.some(({ ends }) => ends === hash))
  await checkEnded(deps, left, options)
  return { revoked, receipts: await sendAll(deps, steps, options) }
}

/** The hash of the root it ends: one of this wallet, and of this session where its roots are known. */
function rootEndedBy({ pins, account }: ClientDeps, rootHashes: readonly Hex[] | undefined, data: Hex): Hex {
  const [, offset, tuple] = DISABLE.exec(data) ?? []
  // Read as a list of one, which is the same bytes behind a count.
  const one = '1'.padStart(64, '0')
  const delegation = tuple && decodeDelegations(`0x${offset}${one}${offset}${tuple}`)?.[0]
  if (!delegation) broken('RECIPIENT', 'a step cannot be read as the end of a session')
  const root = readRoot(hashing, pins.addresses, delegation)
  const isOwn = root !== undefined && root.wallet === account.address
  must(isOwn, 'RECIPIENT', 'a step ends something else than a session of this wallet')
  const isNamed = rootHashes === undefined || rootHashes.includes(root.hash)
  must(isNamed, 'RECIPIENT', 'a step ends another session')
  return root.hash
}

/** What no step ends has to be ended already, by the client's own node: none is left alive unnoticed. */
async function checkEnded(
  { rpc, pins }: ClientDeps,
  rootHashes: readonly Hex[],
  { signal }: VerbOptions,
): Promise<void> {
  if (rootHashes.length === 0) return
  const calls = rootHashes.map((hash) => {
    const data = encodeFunctionData({
      abi: delegationManagerAbi,
      functionName: 'disabledDelegations',
      args: [hash],
    })
    return { method: 'eth_call', params: [{ to: pins.addresses.manager, data }, 'latest'] }
  })
  const answers = await rpc.all(calls, signal)
  const isEnded = answers.every((answer) => BigInt(given<Hex>(answer)) === 1n)
  must(isEnded, 'RECIPIENT', 'no step ends one of the session’s roots, which is alive on chain')
}

/** Signs the owner's own steps, one after the other is mined. */
export async function sendAll(
  deps: ClientDeps,
  steps: readonly { step: UnsignedStep; gas: bigint }[],
  { signal }: VerbOptions,
): Promise<Receipt[]> {
  if (steps.length === 0) return []
  mustBeOnce(steps.map(({ step }) => step))
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
  for (const [i, { step, gas }] of steps.entries()) {
    const transaction = {
      type: 'eip1559' as const,
      chainId: pins.profile.chain_id,
      nonce: first + i,
      to: step.to as Address,
      value: 0n,
      data: step.data,
      gas,
      maxPriorityFeePerGas: 0n,
      maxFeePerGas: 2n * baseFeeWei,
    }
    const until = { deadlineS, undated: true, signal } as const
    const [hash] = await sendSigned(deps, [transaction], until)
    receipts.push(await waitMined(deps, hash!, until))
  }
  return receipts
}
