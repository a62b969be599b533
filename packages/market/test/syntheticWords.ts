import type { Hex } from '@pit/chain'
import { type Abi, getAbiItem, toFunctionSelector } from 'viem'

/** Numbers and words of the synthetic chain: millions are made, so by hand. */

export function mix(a: number, b = 0): number {
  let h = (a ^ Math.imul(b + 1, 0x9e3779b1)) >>> 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}
export const hex8 = (value: number) => value.toString(16).padStart(8, '0')
export const word = (value: bigint | number): string => {
  const text = (typeof value === 'bigint' ? BigInt.asUintN(256, value) : value).toString(16)
  return text.padStart(64, '0')
}
export const signed = (value: number): string => word(BigInt(value))
export const pad = (address: string): string => address.slice(2).padStart(64, '0')
export const ZERO = word(0)
export const selectorOf = (abi: Abi, name: string) =>
  toFunctionSelector(getAbiItem({ abi, name }) as Extract<Abi[number], { type: 'function' }>)

/** `aggregate3`, read and written word by word. */
export function aggregate(data: string, view: (target: string, data: string) => string): Hex {
  const at = (digit: number) => Number.parseInt(data.slice(digit + 48, digit + 64), 16)
  const list = 10 + 64
  const count = at(list)
  let heads = ''
  let tails = ''
  let offset = count * 32
  for (let k = 0; k < count; k++) {
    const start = list + 64 + at(list + 64 + k * 64) * 2
    const size = at(start + 192) * 2
    const target = `0x${data.slice(start + 24, start + 64)}`
    const answer = view(target, `0x${data.slice(start + 256, start + 256 + size)}`)
    heads += word(offset)
    tails += `${word(1)}${word(64)}${word(answer.length / 2)}${answer}`
    offset += 96 + answer.length / 2
  }
  return `0x${word(32)}${word(count)}${heads}${tails}`
}
