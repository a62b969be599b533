import type { Address } from '../bytes/hex.ts'
import { COMMAND_BYTE } from './constants.ts'
import { decodeAction } from './decodeAction.ts'
import {
  AbiFault,
  addressAt,
  boolAt,
  bytesArrayAt,
  bytesAt,
  countAt,
  hexAt,
  numberAt,
  uintAt,
} from './readWords.ts'
import type { PermitSingle, RouterCommand, RouterLayout, V3Path, V4Action } from './types.ts'

const NAME_OF_BYTE = new Map(
  Object.entries(COMMAND_BYTE).map(([name, byte]) => [byte as string, name as RouterCommand['command']]),
)

export function decodeCommand(byte: string, d: string, layout: RouterLayout): RouterCommand {
  const command = NAME_OF_BYTE.get(byte)
  switch (command) {
    case undefined:
      throw new AbiFault('UNKNOWN_COMMAND')
    case 'V3_SWAP_EXACT_IN':
      return { command, ...swapHead(d), path: decodeV3Path(bytesAt(d, pathOffset(layout))) }
    case 'V2_SWAP_EXACT_IN':
      return { command, ...swapHead(d), path: addressesAt(d, pathOffset(layout)) }
    case 'V4_SWAP':
      return { command, actions: decodeActions(d, layout) }
    case 'PERMIT2_PERMIT':
      return { command, permit: decodePermit(d), signature: hexAt(d, 0xe0) }
    case 'PERMIT2_TRANSFER_FROM':
      return { command, token: addressAt(d, 0), recipient: addressAt(d, 0x20), amount: uintAt(d, 0x40) }
    case 'SWEEP':
      return { command, token: addressAt(d, 0), recipient: addressAt(d, 0x20), amountMin: uintAt(d, 0x40) }
    case 'TRANSFER':
      return { command, token: addressAt(d, 0), recipient: addressAt(d, 0x20), amount: uintAt(d, 0x40) }
    case 'PAY_PORTION':
      return { command, token: addressAt(d, 0), recipient: addressAt(d, 0x20), bips: uintAt(d, 0x40) }
    case 'WRAP_ETH':
      return { command, recipient: addressAt(d, 0), amount: uintAt(d, 0x20) }
    case 'UNWRAP_WETH':
      return { command, recipient: addressAt(d, 0), amountMin: uintAt(d, 0x20) }
  }
}

function pathOffset(layout: RouterLayout): number {
  return layout === '2.1.1' ? 0xc0 : 0xa0
}

function swapHead(d: string) {
  return {
    recipient: addressAt(d, 0),
    amountIn: uintAt(d, 0x20),
    amountOutMin: uintAt(d, 0x40),
    payerIsUser: boolAt(d, 0x80),
  }
}

function decodeV3Path(digits: string): V3Path {
  if (digits.length < 86 || (digits.length - 40) % 46 !== 0) throw new AbiFault('NOT_CANONICAL')
  const tokens: Address[] = [`0x${digits.slice(0, 40)}`]
  const fees: number[] = []
  for (let at = 40; at < digits.length; at += 46) {
    fees.push(Number.parseInt(digits.slice(at, at + 6), 16))
    tokens.push(`0x${digits.slice(at + 6, at + 46)}`)
  }
  return { tokens, fees }
}

function addressesAt(d: string, at: number): Address[] {
  const addresses: Address[] = []
  for (let i = 0, count = countAt(d, at); i < count; i++) addresses.push(addressAt(d, at + 0x20 + 0x20 * i))
  return addresses
}

function decodePermit(d: string): PermitSingle {
  return {
    details: {
      token: addressAt(d, 0),
      amount: uintAt(d, 0x20),
      expiration: numberAt(d, 0x40),
      nonce: numberAt(d, 0x60),
    },
    spender: addressAt(d, 0x80),
    sigDeadline: uintAt(d, 0xa0),
  }
}

function decodeActions(d: string, layout: RouterLayout): V4Action[] {
  const bytes = bytesAt(d, numberAt(d, 0))
  const params = bytesArrayAt(d, numberAt(d, 0x20))
  if (params.length * 2 !== bytes.length) throw new AbiFault('NOT_CANONICAL')
  return params.map((digits, i) => decodeAction(bytes.slice(2 * i, 2 * i + 2), digits, layout))
}
