import { type Address, type Authorization, delegationOf, type Hex, readNonceCall } from '@pit/chain'
import {
  allowanceCall,
  askCall,
  askCode,
  askNonce,
  permitCall,
  readAll,
  readOne,
  wordsIn,
} from '@pit/platform/reads'
import { fail } from '@pit/protocol'
import type { SessionAddresses } from './addresses.ts'
import type { SessionDeps } from './deps.ts'

/** Code of a wallet: none, the delegator required for sessions, or other code. */
export type WalletCode = 'none' | 'delegator' | 'other'

export function codeOf(delegatedTo: Address | null, hasCode: boolean, delegator: Address): WalletCode {
  if (delegatedTo === delegator) return 'delegator'
  return hasCode || delegatedTo !== null ? 'other' : 'none'
}

/** Authorization that sets the delegator's code on a plain wallet, valid at one nonce. */
export const authorizationAt = ({ delegation }: SessionAddresses, nonce: number): Authorization => ({
  chainId: delegation.chainId,
  address: delegation.delegator,
  nonce,
})

export interface ApprovedToken {
  address: Address
  symbol: string
  /** Approved in addition to Permit2. */
  curve: Address | null
}
export interface TokenApprovals {
  /** To Permit2, and from Permit2 to the router. */
  permit2: bigint
  permit: { amount: bigint; expirationS: number }
  /** To its curve; zero without one. */
  curve: bigint
}

export interface WalletReading {
  code: WalletCode
  /** Next nonce, including pending transactions. */
  nonce: number
  /** In the order of the tokens; null for a contract that does not behave like a token. */
  approvals: (TokenApprovals | null)[]
}

/** Gas limit of a token read. */
const READ_GAS = 150_000

/** Reads an owner's wallet in one request. Throws RPC_UNAVAILABLE. */
export async function readWallet(
  deps: Pick<SessionDeps, 'rpc' | 'addresses'>,
  { wallet, tokens }: { wallet: Address; tokens: readonly ApprovedToken[] },
): Promise<WalletReading> {
  const { permit2, router, delegation } = deps.addresses()
  const reads = tokens.map(({ address, curve }) => [
    allowanceCall(address, wallet, permit2),
    permitCall(permit2, { owner: wallet, token: address, spender: router }),
    ...(curve === null ? [] : [allowanceCall(address, wallet, curve)]),
  ])
  const requests = [
    askCode(wallet),
    askNonce(wallet, 'pending'),
    ...reads.flat().map((call) => askCall(call, { gas: READ_GAS })),
  ] as const
  const [code, nonce, ...rest] = await readAll(deps.rpc, requests).catch(() => fail('RPC_UNAVAILABLE'))
  if (code === undefined || nonce === undefined) return fail('RPC_UNAVAILABLE')
  return {
    code: codeOf(delegationOf(code), code !== '0x', delegation.delegator),
    nonce,
    approvals: reads.map(({ length }) => approvalsIn(rest.splice(0, length))),
  }
}

/** The wallet's nonce at the NonceEnforcer, repeated by the roots of a session with controls. */
export async function readSessionNonce(
  { rpc, addresses }: Pick<SessionDeps, 'rpc' | 'addresses'>,
  wallet: Address,
): Promise<bigint> {
  const request = askCall(readNonceCall(addresses().delegation, wallet), { gas: READ_GAS })
  const answer = await readOne(rpc, request).catch(() => fail('RPC_UNAVAILABLE'))
  return wordsIn(answer, 1)?.[0] ?? fail('RPC_UNAVAILABLE')
}

function approvalsIn(answers: readonly (Hex | undefined)[]): TokenApprovals | null {
  const [allowance, permit] = [wordsIn(answers[0], 1), wordsIn(answers[1], 3)]
  const curve = answers.length < 3 ? [0n] : wordsIn(answers[2], 1)
  if (!allowance || !permit || !curve) return null
  return {
    permit2: allowance[0]!,
    permit: { amount: permit[0]!, expirationS: Number(permit[1]) },
    curve: curve[0]!,
  }
}
