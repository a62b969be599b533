import { curveAbi } from '@pit/chain'
import { encodeErrorResult, parseAbi } from 'viem'
import { expect, it } from 'vitest'
import { isTooLittle } from './runPlan.ts'

const abi = parseAbi([
  'error V2TooLittleReceived()',
  'error V3TooLittleReceived()',
  'error V4TooLittleReceived(uint256 least, uint256 got)',
  'error InsufficientETH()',
  'error InsufficientToken()',
  'error TransactionDeadlinePassed()',
  'error Error(string words)',
])
const amounts = [2n, 1n] as const

it.each([
  encodeErrorResult({ abi, errorName: 'V2TooLittleReceived' }),
  encodeErrorResult({ abi, errorName: 'V3TooLittleReceived' }),
  encodeErrorResult({ abi, errorName: 'V4TooLittleReceived', args: amounts }),
  encodeErrorResult({ abi, errorName: 'InsufficientETH' }),
  encodeErrorResult({ abi, errorName: 'InsufficientToken' }),
  encodeErrorResult({ abi: curveAbi, errorName: 'TooLittle', args: amounts }),
])('%s is about a minimum', (data) => expect(isTooLittle(data)).toBe(true))

it.each([
  '0x',
  '0x00',
  encodeErrorResult({ abi, errorName: 'TransactionDeadlinePassed' }),
  encodeErrorResult({ abi, errorName: 'Error', args: ['V3TooLittleReceived()'] }),
  encodeErrorResult({ abi: curveAbi, errorName: 'Graduated' }),
] as const)('%s is not', (data) => expect(isTooLittle(data)).toBe(false))
