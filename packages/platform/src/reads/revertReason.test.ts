import {
  encodeAbiParameters,
  encodeErrorResult,
  type Hex,
  parseAbi,
  parseAbiParameters,
  toFunctionSelector,
} from 'viem'
import { describe, expect, it } from 'vitest'
import { WORDS_OF_ERROR } from './revertErrors.ts'
import { revertReason } from './revertReason.ts'

const abi = parseAbi([
  'error Error(string)',
  'error Panic(uint256)',
  'error ExecutionFailed(uint256 commandIndex, bytes message)',
  'error WrappedError(address target, bytes4 selector, bytes reason, bytes details)',
  'error V3TooLittleReceived()',
  'error V4TooLittleReceived(uint256 min, uint256 got)',
  'error AllowanceExpired(uint256 deadline)',
  'error TooLittle(uint256 out, uint256 minimum)',
  'error InsufficientAllowance(uint256 amount)',
  'error ERC20InsufficientBalance(address sender, uint256 balance, uint256 needed)',
])
const revert = (errorName: string, args: unknown[] = []): Hex =>
  encodeErrorResult({ abi, errorName, args } as Parameters<typeof encodeErrorResult>[0])

describe('revertReason', () => {
  it('puts known errors in words', () => {
    const reasons: [Hex, string][] = [
      [revert('V3TooLittleReceived'), 'the v3 pools give less than the minimum'],
      [revert('V4TooLittleReceived', [9n, 8n]), 'the v4 pools give 8, less than the minimum of 9'],
      [revert('AllowanceExpired', [0n]), 'Permit2 has no allowance for the router'],
      [revert('AllowanceExpired', [77n]), 'the Permit2 allowance expired at 77'],
      [revert('InsufficientAllowance', [5n]), 'the Permit2 allowance is 5, less than the amount spent'],
      [revert('TooLittle', [3n, 4n]), 'the curve gives 3, less than the minimum of 4'],
      [revert('ERC20InsufficientBalance', [`0x${'11'.repeat(20)}`, 1n, 2n]), 'a wallet sends 2 but holds 1'],
      [revert('Panic', [0x11n]), 'arithmetic overflow or underflow'],
      [revert('Error', ['ERC20: transfer amount exceeds balance']), 'ERC20: transfer amount exceeds balance'],
      [revert('Error', ['LOK']), 'the v3 pool is locked'],
      ['0x12345678', 'reverted with 0x12345678'],
      ['0x1234', 'reverted without a reason'],
    ]
    for (const [data, words] of reasons) expect(revertReason(data)).toBe(words)
    expect(revertReason('0x', 'out of gas: not enough')).toBe('out of gas: not enough')
    expect(revertReason('0x')).toBe('reverted')
  })

  it('unwraps nested errors', () => {
    const inner = revert('Error', ['STF'])
    const hook = revert('WrappedError', [`0x${'22'.repeat(20)}`, '0x12345678', inner, '0x'])
    expect(revertReason(revert('ExecutionFailed', [3n, hook]))).toMatch(
      /^commands\[3\]: 0x2{40}: the token could not be taken/,
    )
    expect(revertReason(revert('ExecutionFailed', [0n, '0x']))).toBe('commands[0]: reverted without a reason')
    let deep = inner
    for (let depth = 0; depth < 50; depth++) deep = revert('ExecutionFailed', [1n, deep])
    expect(revertReason(deep)).toMatch(/and so on$/)
  })

  it('sanitises the text of a hostile contract', () => {
    expect(revertReason(revert('Error', ['<img src=x onerror="alert(1)">\u202e\u0007']))).toBe(
      'img src=x onerror=alert(1)',
    )
    expect(revertReason(revert('Error', ['x'.repeat(100_000)]))).toHaveLength(80)
    expect(revertReason(revert('Error', ['\u0000\u0001']))).toBe('reverted')
    // A wrong length, a wrong offset, missing arguments.
    expect(revertReason(`0x08c379a0${'f'.repeat(128)}41`)).toBe('A')
    expect(revertReason('0x08c379a0')).toBe('reverted')
    const cut = revert('V4TooLittleReceived', [9n, 8n]).slice(0, 40) as Hex
    expect(revertReason(cut)).toBe(`reverted with ${cut.slice(0, 10)}`)
    const far = encodeAbiParameters(parseAbiParameters('uint256, uint256'), [1n, 1n << 255n])
    expect(revertReason(`${toFunctionSelector('ExecutionFailed(uint256,bytes)')}${far.slice(2)}`)).toMatch(
      /^reverted with 0x/,
    )
  })

  it('lists every error once', () => {
    const selectors = Object.keys(WORDS_OF_ERROR).map((signature) => toFunctionSelector(signature))
    expect(new Set(selectors).size).toBe(selectors.length)
  })
})
