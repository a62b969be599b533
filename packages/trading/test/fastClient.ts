import type { FastTable, RouterInput, RouterValue } from '@pit/protocol'
import {
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  keccak256,
  parseAbi,
  parseAbiParameters,
  serializeTransaction,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** A fast-mode client built from the terms and docs/fast.md alone: encodes with viem, uses none of our code. */

export interface FastTrade {
  pair: string
  amountIn: bigint
  minOut: bigint
  deadline: number
  feeBps: number
  permit?: { expiration: number; nonce: number; sig_deadline: number; signature: Hex }
}

const routerAbi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])

/** Calldata and value of a trade on a pinned route. */
export function buildFromTerms(
  table: Pick<FastTable, 'pairs'>,
  trade: FastTrade,
): { data: Hex; value: bigint } {
  const route = table.pairs[trade.pair]
  if (!route) throw new Error(`no route ${trade.pair}`)
  const fee = (trade.amountIn * BigInt(trade.feeBps)) / 10_000n
  const names: Record<string, string> = {
    $amount_in: String(trade.amountIn),
    $fee: String(fee),
    $swap_in: String(trade.amountIn - fee),
    $min_out: String(trade.minOut),
    $fee_bps: String(trade.feeBps),
    $permit_expiration: String(trade.permit?.expiration),
    $permit_nonce: String(trade.permit?.nonce),
    $permit_sig_deadline: String(trade.permit?.sig_deadline),
    $permit_signature: String(trade.permit?.signature),
  }
  const inputs = [...(trade.permit ? [route.permit!.input] : []), ...route.inputs]
  const data = encodeFunctionData({
    abi: routerAbi,
    functionName: 'execute',
    args: [
      (trade.permit ? route.permit!.commands : route.commands) as Hex,
      inputs.map((input) => encodeInput(input, names)),
      BigInt(trade.deadline),
    ],
  })
  return { data, value: route.value === '$amount_in' ? trade.amountIn : 0n }
}

function encodeInput(input: RouterInput, names: Record<string, string>): Hex {
  const { types, values, actions } = input
  if (!actions) return encode(types, values, names)
  const parts = actions.map((action) => encode(action.types, action.values, names))
  return encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [values[0] as Hex, parts])
}

interface Parameter {
  type: string
  components?: readonly Parameter[]
}

function encode(
  types: readonly string[],
  values: readonly RouterValue[],
  names: Record<string, string>,
): Hex {
  const parameters = parseAbiParameters(types.join(', ')) as readonly Parameter[]
  return encodeAbiParameters(
    parameters as never,
    values.map((value, i) => filled(parameters[i]!, value, names)) as never,
  )
}

/** A template's value as viem takes it. */
function filled(parameter: Parameter, value: RouterValue, names: Record<string, string>): unknown {
  if (Array.isArray(value)) {
    const inner = parameter.components
    return value.map((part, i) =>
      filled(inner ? inner[i]! : { type: parameter.type.slice(0, -2) }, part, names),
    )
  }
  const text = typeof value === 'string' && value.startsWith('$') ? names[value] : value
  if (text === undefined) throw new Error(`nothing to fill ${String(value)} with`)
  if (!/^u?int\d+$/.test(parameter.type)) return text
  // viem takes narrow integers as numbers.
  return Number(parameter.type.replace(/\D/g, '')) <= 48 ? Number(text) : BigInt(text as string)
}

/** Permit2's typed data, from the terms and config. */
export async function signPermit(
  privateKey: Hex,
  addresses: { permit2: string; router: string; token: string },
  permit: { amount: bigint; expiration: number; nonce: number; sig_deadline: number },
): Promise<Hex> {
  return privateKeyToAccount(privateKey).signTypedData({
    domain: { name: 'Permit2', chainId: 4663, verifyingContract: addresses.permit2 as Hex },
    types: {
      PermitDetails: [
        { name: 'token', type: 'address' },
        { name: 'amount', type: 'uint160' },
        { name: 'expiration', type: 'uint48' },
        { name: 'nonce', type: 'uint48' },
      ],
      PermitSingle: [
        { name: 'details', type: 'PermitDetails' },
        { name: 'spender', type: 'address' },
        { name: 'sigDeadline', type: 'uint256' },
      ],
    },
    primaryType: 'PermitSingle',
    message: {
      details: {
        token: addresses.token as Hex,
        amount: permit.amount,
        expiration: permit.expiration,
        nonce: permit.nonce,
      },
      spender: addresses.router as Hex,
      sigDeadline: BigInt(permit.sig_deadline),
    },
  })
}

/** A signed type 2 transaction and its hash. */
export async function signTransaction(
  privateKey: Hex,
  tx: {
    nonce: number
    to: string
    value: bigint
    data: Hex
    gas: bigint
    maxFeePerGas: bigint
    maxPriorityFeePerGas?: bigint
    chainId?: number
  },
): Promise<{ raw: Hex; hash: Hex }> {
  const { chainId = 4663, maxPriorityFeePerGas = 0n, ...rest } = tx
  const whole = { ...rest, to: tx.to as Hex, type: 'eip1559', chainId, maxPriorityFeePerGas } as const
  const raw = await privateKeyToAccount(privateKey).signTransaction(whole, {
    serializer: serializeTransaction,
  })
  return { raw, hash: keccak256(raw) }
}
