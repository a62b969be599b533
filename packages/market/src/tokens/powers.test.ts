import { type Hex, toFunctionSelector } from 'viem'
import { describe, expect, it } from 'vitest'
import { powersIn, selectorsIn } from './powers.ts'

const push4 = (signature: string): string => `63${toFunctionSelector(signature).slice(2)}`
const code = (...parts: string[]): Hex => `0x${parts.join('')}`

describe('powers', () => {
  it('are derived from the functions in the code', () => {
    expect(powersIn(code('6080', push4('mint(address,uint256)'), '14', push4('pause()'))).powers).toEqual([
      'mint',
      'pause',
    ])
    expect(powersIn(code(push4('transfer(address,uint256)'), push4('owner()'))).powers).toEqual([])
    expect(powersIn(code(push4('l1Address()'))).bridged).toBe(true)
  })
  it('are not read out of the inside of a constant', () => {
    const hidden = `7f${push4('mint(address,uint256)').padEnd(64, '0')}`
    expect(powersIn(code(hidden)).powers).toEqual([])
    expect(powersIn(code(hidden, push4('rebase(uint256)'))).powers).toEqual(['rebase'])
  })
  it('stand code that ends in the middle', () => {
    expect(selectorsIn('0x')).toEqual(new Set())
    expect(selectorsIn('0x63aabb').size).toBeLessThanOrEqual(1)
    expect(selectorsIn('0x7f')).toEqual(new Set())
  })
})
