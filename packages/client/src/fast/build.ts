import type { Hex } from '@pit/chain'
import { type FastTable, feeOf, type RouterInput, type RouterValue } from '@pit/protocol'
import { encodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'

export interface FastBytes {
  pair: string
  amountIn: bigint
  minOut: bigint
  deadline: number
  feeBps: number
  permit?: { expiration: number; nonce: number; sig_deadline: number; signature: Hex }
}

const routerAbi = parseAbi(['function execute(bytes commands, bytes[] inputs, uint256 deadline) payable'])

/** Calldata and value of a trade on a pinned route, by the client's own table. */
export function buildFast({ pairs }: FastTable, trade: FastBytes): { data: Hex; value: bigint } {
  const route = pairs[trade.pair]!
  const { amountIn, feeBps, permit } = trade
  const fee = feeOf(amountIn, feeBps)
  const filled: Filled = {
    $amount_in: String(amountIn),
    $fee: String(fee),
    $swap_in: String(amountIn - fee),
    $min_out: String(trade.minOut),
    $fee_bps: String(feeBps),
    ...(permit && {
      $permit_expiration: String(permit.expiration),
      $permit_nonce: String(permit.nonce),
      $permit_sig_deadline: String(permit.sig_deadline),
      $permit_signature: permit.signature,
    }),
  }
  const inputs = [...(permit ? [route.permit!.input] : []), ...route.inputs]
  const commands = (permit ? route.permit!.commands : route.commands) as Hex
  const data = encodeFunctionData({
    abi: routerAbi,
    functionName: 'execute',
    args: [commands, inputs.map((input) => encodeInput(input, filled)), BigInt(trade.deadline)],
  })
  return { data, value: route.value === '$amount_in' ? amountIn : 0n }
}

type Filled = Record<string, string>

function encodeInput({ types, values, actions }: RouterInput, filled: Filled): Hex {
  if (!actions) return encode(types, values, filled)
  const parts = actions.map((action) => encode(action.types, action.values, filled))
  return encodeAbiParameters(parseAbiParameters('bytes, bytes[]'), [values[0] as Hex, parts])
}

interface Parameter {
  type: string
  components?: readonly Parameter[]
}

function encode(types: readonly string[], values: readonly RouterValue[], filled: Filled): Hex {
  const parameters = parseAbiParameters(types.join(', ')) as readonly Parameter[]
  const filledValues = values.map((value, i) => filledValue(parameters[i]!, value, filled))
  return encodeAbiParameters(parameters as never, filledValues as never)
}

/** A template's value as viem takes it: integers of up to 48 bits as numbers, wider ones as bigints. */
function filledValue(parameter: Parameter, value: RouterValue, filled: Filled): unknown {
  if (Array.isArray(value)) {
    const { components } = parameter
    const item = { type: parameter.type.slice(0, -2) }
    return value.map((part, i) => filledValue(components?.[i] ?? item, part, filled))
  }
  const text = typeof value === 'string' && value.startsWith('$') ? filled[value] : value
  if (text === undefined) throw new TypeError(`nothing to fill ${String(value)} with`)
  if (!/^u?int\d+$/.test(parameter.type)) return text
  return Number(parameter.type.replace(/\D/g, '')) <= 48 ? Number(text) : BigInt(text as string)
}
