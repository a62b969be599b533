import {
  type Address,
  type Delegation,
  delegationHash,
  delegationManagerAbi,
  delegationOf,
  encodeDisable,
  type Hex,
} from '@pit/chain'
import { askCall, askCode, askNonce, flagIn, NotRunnable, needAll, simulateBlocks } from '@pit/platform/reads'
import { isPitError } from '@pit/protocol'
import { feesOf, limitFromUse, type PlanTx } from '@pit/trading'
import { encodeFunctionData } from 'viem'
import type { SessionDeps } from '../deps.ts'
import { codeOf, type WalletCode } from '../readWallet.ts'
import type { Session } from '../types.ts'

/** A root to disable, with its purpose. */
export interface SignedRoot {
  name: 'root' | 'curve' | 'fee'
  delegation: Delegation
  hash: Hex
}

/** The roots the owner signed; none for a grant that was never activated. */
export function signedRoots({ crypto }: Pick<SessionDeps, 'crypto'>, session: Session): SignedRoot[] {
  const { root, curveRoots } = session
  const all: [SignedRoot['name'], Delegation][] = [['root', root]]
  if (curveRoots) all.push(['curve', curveRoots.curve], ['fee', curveRoots.fee])
  return all
    .filter(([, { signature }]) => signature !== '0x')
    .map(([name, delegation]) => ({ name, delegation, hash: delegationHash(crypto, delegation) }))
}

export interface OwnerState {
  nonce: number
  code: WalletCode
  /** By root: whether it is already disabled in the manager. */
  disabled: boolean[]
}

/** Null if the chain does not answer; the session is revoked in any case. */
export async function readOwner(
  deps: Pick<SessionDeps, 'rpc' | 'addresses'>,
  wallet: Address,
  roots: readonly SignedRoot[],
): Promise<OwnerState | null> {
  const { manager, delegator } = deps.addresses().delegation
  const requests = [
    askNonce(wallet, 'pending'),
    askCode(wallet),
    ...roots.map(({ hash }) => askCall({ to: manager, data: disabledData(hash) })),
  ] as const
  const values = await needAll(deps.rpc, requests).catch(() => null)
  if (values === null) return null
  const [nonce, code, ...flags] = values
  return {
    nonce,
    code: codeOf(delegationOf(code), code !== '0x', delegator),
    disabled: flags.map((flag) => flagIn(flag) === true),
  }
}

const disabledData = (hash: Hex): Hex =>
  encodeFunctionData({ abi: delegationManagerAbi, functionName: 'disabledDelegations', args: [hash] })

export interface DisableStep {
  kind: 'disable_delegation'
  why: string
  tx: PlanTx
  root: SignedRoot
}

const DISABLE_GAS = 120_000
const WHY = {
  root: 'Disables the session’s root in the delegation manager.',
  curve: 'Disables the root of the session’s curve trades.',
  fee: 'Disables the root that pays the fees of curve trades.',
} as const

/** One transaction of the main key per root that is not disabled yet. */
export function disableSteps(
  deps: Pick<SessionDeps, 'addresses' | 'market'>,
  { wallet, roots, state }: { wallet: Address; roots: readonly SignedRoot[]; state: OwnerState | null },
): DisableStep[] {
  const { manager } = deps.addresses().delegation
  const fees = feesOf(deps.market.head()?.baseFeeWei ?? 0n)
  const open = roots.filter((_, i) => state?.disabled[i] !== true)
  return open.map((root, i) => ({
    kind: 'disable_delegation',
    why: WHY[root.name],
    root,
    tx: {
      from: wallet,
      to: manager,
      valueWei: 0n,
      data: encodeDisable(root.delegation),
      gas: DISABLE_GAS,
      nonce: (state?.nonce ?? 0) + i,
      ...fees,
    },
  }))
}

export interface Tried {
  ok: boolean
  /** By step. */
  gas: number[]
  disabled: boolean[]
  error: string | null
}

const SIMULATE_MS = 5_000
const READ_GAS = 100_000

/** Simulates the steps in one block and reads the roots' state in the next; null if the simulation failed. */
export async function tryDisabling(
  deps: Pick<SessionDeps, 'rpc' | 'addresses'>,
  steps: readonly DisableStep[],
): Promise<Tried | null> {
  const { manager } = deps.addresses().delegation
  const calls = steps.map(({ tx: { from, to, data, gas } }) => ({ from, to, data, gas: gas * 3 }))
  const reads = steps.map(({ root }) => ({ to: manager, data: disabledData(root.hash), gas: READ_GAS }))
  try {
    const blocks = [{ calls }, { calls: reads }]
    const [sent, read] = await simulateBlocks(deps.rpc, blocks, { timeoutMs: SIMULATE_MS })
    const disabled = read!.calls.map(({ ok, data }) => ok && flagIn(data) === true)
    const failed = sent!.calls.find(({ ok }) => !ok)
    return {
      ok: failed === undefined && disabled.every(Boolean),
      gas: sent!.calls.map(({ gasUsed }) => limitFromUse(gasUsed)),
      disabled,
      error: failed?.error ?? null,
    }
  } catch (error) {
    if (error instanceof NotRunnable || isPitError(error)) return null
    throw error
  }
}
