import { decodeExecute, type Hex, type RouterCommand } from '@pit/chain'
import { encodeExecute } from '@pit/plans'
import type { Random } from '../fuzz/random.ts'

/** A kind of calldata byte and its positions. */
export interface ByteClass {
  name: string
  at: number[]
}

const EXECUTE = '0x3593564c'
const WORD = 32
const wordAt = (bytes: Buffer, at: number): number =>
  Number(BigInt(`0x${bytes.toString('hex', at, at + WORD)}`))
const range = (from: number, length: number): number[] => Array.from({ length }, (_, i) => from + i)

/** Every byte of calldata by its purpose: the router's by its layout, others word by word. */
export function byteClasses(data: Hex): ByteClass[] {
  const bytes = Buffer.from(data.slice(2), 'hex')
  const classes = new Map<string, number[]>()
  const put = (name: string, from: number, length: number) => {
    if (length > 0) classes.set(name, [...(classes.get(name) ?? []), ...range(from, length)])
  }
  put('selector', 0, Math.min(4, bytes.length))
  if (data.startsWith(EXECUTE)) executeClasses(bytes, put)
  else
    for (let at = 4; at < bytes.length; at += WORD)
      put(`argument ${(at - 4) / WORD}`, at, Math.min(WORD, bytes.length - at))
  return [...classes].map(([name, at]) => ({ name, at }))
}

/** execute(bytes commands, bytes[] inputs, uint256 deadline) */
function executeClasses(bytes: Buffer, put: (name: string, from: number, length: number) => void): void {
  put('offset', 4, 2 * WORD)
  put('deadline', 4 + 2 * WORD, WORD)
  const commands = 4 + wordAt(bytes, 4)
  const count = wordAt(bytes, commands)
  put('length', commands, WORD)
  put('command', commands + WORD, count)
  put('padding', commands + WORD + count, padded(count) - count)
  const inputs = 4 + wordAt(bytes, 4 + WORD)
  put('length', inputs, WORD)
  for (let i = 0; i < count; i++) {
    const offset = inputs + WORD + i * WORD
    put('offset', offset, WORD)
    const input = inputs + WORD + wordAt(bytes, offset)
    const length = wordAt(bytes, input)
    put('length', input, WORD)
    put(`input of ${bytes[commands + WORD + i]!.toString(16).padStart(2, '0')}`, input + WORD, length)
    put('padding', input + WORD + length, padded(length) - length)
  }
}

const padded = (length: number): number => Math.ceil(length / WORD) * WORD

/** Changes the byte at a position. */
export function rebyted(data: Hex, at: number, random: Random): Hex {
  const bytes = Buffer.from(data.slice(2), 'hex')
  bytes[at] = (bytes[at]! + 1 + random.below(255)) % 256
  return `0x${bytes.toString('hex')}`
}

/** Replaces one word of the arguments by a plausible value. */
export function reworded(data: Hex, random: Random, addresses: readonly Hex[]): Hex {
  const words = Math.floor((data.length - 10) / 64)
  if (words <= 0) return `${data}00`
  const at = 10 + 64 * random.below(words)
  const word = random.pick([
    0n,
    1n,
    2n,
    (1n << 256n) - 1n,
    1n << 255n,
    (1n << 160n) - 1n,
    ...addresses.map(BigInt),
    BigInt(`0x${data.slice(at, at + 64)}`) + 1n,
  ])
  return `${data.slice(0, at)}${(word % (1n << 256n)).toString(16).padStart(64, '0')}${data.slice(at + 64)}` as Hex
}

/** A router command removed, doubled, moved or paid to another address; other calls are cut in two. */
export function recommanded(data: Hex, random: Random, somebody: Hex): Hex {
  const decoded = data.startsWith(EXECUTE) ? decodeExecute(data) : null
  if (!decoded?.ok) return data.slice(0, 2 + 2 * random.below((data.length - 2) / 2)) as Hex
  const commands = [...decoded.call.commands]
  const at = random.below(commands.length)
  const way = random.below(4)
  if (way === 0) commands.splice(at, 1)
  else if (way === 1) commands.splice(at, 0, commands[at]!)
  else if (way === 2 && commands.length > 1) commands.unshift(commands.pop()!)
  else {
    const paid = commands.findIndex((command, i) => i >= at && 'recipient' in command)
    const to = paid === -1 ? 0 : paid
    commands[to] = { ...commands[to], recipient: somebody } as RouterCommand
  }
  return encodeExecute({ ...decoded.call, commands })
}
