import {
  ADDRESS_THIS,
  type Address,
  decodeExecute,
  type Hex,
  MSG_SENDER,
  type RouterCommand,
  type V4Action,
} from '@pit/chain'
import type { BUILD_DIFFS } from '@pit/protocol'
import type { FastAddresses, PinnedRoute } from './table.ts'

export type BuildDiff = (typeof BUILD_DIFFS)[number]

/** A payment to an address other than the caller and the router. */
export interface FeePayment {
  side: 'input' | 'output'
  token: Address
  recipient: Address
  /** Atoms on the input side, basis points on the output side. */
  amount: bigint
}

/** A call that differs from ours, as far as it can be decoded. Null: not a canonical router call. */
export interface CallReading {
  commands: readonly RouterCommand[]
  fees: FeePayment[]
}

export function readCall(data: Hex, { layout }: FastAddresses): CallReading | null {
  const decoded = decodeExecute(data, layout)
  if (!decoded.ok) return null
  const { commands } = decoded.call
  return { commands, fees: commands.flatMap(feesOf) }
}

function feesOf(command: RouterCommand): FeePayment[] {
  switch (command.command) {
    case 'TRANSFER':
    case 'PERMIT2_TRANSFER_FROM': {
      const { token, recipient, amount } = command
      return recipient === ADDRESS_THIS ? [] : [{ side: 'input', token, recipient, amount }]
    }
    case 'PAY_PORTION':
      return [{ side: 'output', token: command.token, recipient: command.recipient, amount: command.bips }]
    case 'V4_SWAP':
      return command.actions.flatMap((action): FeePayment[] =>
        action.action === 'TAKE_PORTION'
          ? [{ side: 'output', token: action.currency, recipient: action.recipient, amount: action.bips }]
          : [],
      )
    default:
      return []
  }
}

/** Names the differences; AS_BUILT if no other name fits (amount, minimum, deadline or permit). */
export function diffsOf(
  call: CallReading | null,
  built: Hex | null,
  route: PinnedRoute,
  addresses: FastAddresses,
): BuildDiff[] {
  if (call === null) return ['CALLDATA']
  const ours = built === null ? null : readCall(built, addresses)
  const diffs = feeDiffs(call.fees, route, addresses)
  const expected = ours?.commands
  if (expected && names(call.commands) !== names(expected)) diffs.push('COMMANDS')
  if (paysStranger(call.commands) || (expected && recipients(call.commands) !== recipients(expected))) {
    diffs.push('RECIPIENT')
  }
  if (expected && pools(call.commands) !== pools(expected)) diffs.push('ROUTE')
  return diffs.length === 0 ? ['AS_BUILT'] : diffs
}

function feeDiffs(fees: readonly FeePayment[], { row }: PinnedRoute, addresses: FastAddresses): BuildDiff[] {
  const diffs: BuildDiff[] = []
  if (fees.some(({ recipient }) => recipient !== addresses.feeRecipient)) diffs.push('FEE_RECIPIENT')
  if (fees.length !== 1) diffs.push('FEE_COUNT')
  if (fees.some(({ token }) => token !== row.fee.token)) diffs.push('FEE_TOKEN')
  if (fees.some(({ side }) => side !== row.fee.side)) diffs.push('FEE_SIDE')
  return diffs
}

const names = (commands: readonly RouterCommand[]): string =>
  commands
    .map((one) =>
      one.command === 'V4_SWAP' ? one.actions.map(({ action }) => action).join('+') : one.command,
    )
    .join(' ')

/** Recipients of swaps and sweeps; fees are compared separately. */
function recipients(commands: readonly RouterCommand[]): string {
  return commands.flatMap(recipientsOf).join(' ')
}

function recipientsOf(command: RouterCommand): Address[] {
  if (command.command === 'V4_SWAP') {
    return command.actions.flatMap((action) => (action.action === 'TAKE' ? [action.recipient] : []))
  }
  if (command.command === 'PERMIT2_PERMIT' || feesOf(command).length > 0) return []
  return [command.recipient]
}

const paysStranger = (commands: readonly RouterCommand[]): boolean =>
  commands.flatMap(recipientsOf).some((address) => address !== MSG_SENDER && address !== ADDRESS_THIS)

/** The pools and the path through them. */
function pools(commands: readonly RouterCommand[]): string {
  return commands
    .flatMap((command): string[] => {
      if (command.command === 'V3_SWAP_EXACT_IN') {
        return [`v3 ${command.path.tokens.join(' ')} ${command.path.fees.join(' ')}`]
      }
      if (command.command === 'V2_SWAP_EXACT_IN') return [`v2 ${command.path.join(' ')}`]
      return command.command === 'V4_SWAP' ? command.actions.map(poolOfAction) : []
    })
    .join('; ')
}

function poolOfAction(action: V4Action): string {
  if (action.action === 'SWAP_EXACT_IN_SINGLE') {
    const { currency0, currency1, fee, tickSpacing, hooks } = action.poolKey
    const { zeroForOne, hookData } = action
    return `v4 ${[currency0, currency1, fee, tickSpacing, hooks, zeroForOne, hookData].join(' ')}`
  }
  if (action.action !== 'SWAP_EXACT_IN') return ''
  const hops = action.path.map((hop) =>
    [hop.intermediateCurrency, hop.fee, hop.tickSpacing, hop.hooks, hop.hookData].join(' '),
  )
  return `v4 ${action.currencyIn} ${hops.join(', ')}`
}
