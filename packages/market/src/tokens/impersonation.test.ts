import { describe, expect, it } from 'vitest'
import { createImpersonation, skeleton } from './impersonation.ts'

const USDG = { address: '0x00000000000000000000000000000000000000aa', symbol: 'USDG', name: 'Global Dollar' }
const SPY = { address: '0x00000000000000000000000000000000000000bb', symbol: 'SPY', name: 'SPDR S&P 500 ETF' }
const CBBTC = {
  address: '0x00000000000000000000000000000000000000cc',
  symbol: 'cbBTC',
  name: 'Coinbase Wrapped BTC',
}
const imitated = createImpersonation([USDG, SPY, CBBTC])
const other = '0x00000000000000000000000000000000000000ff'

describe('an impersonator', () => {
  it.each([
    'USDG',
    'usdg',
    ' U S D G ',
    'USDG\u200b',
    'USD​G',
    'ＵＳＤＧ',
    'USD.G',
    '$USDG',
    'UЅDG',
    'U5DG',
    'Ùśðg'.replace('ð', 'd'),
    '𝐔𝐒𝐃𝐆',
    'usdɢ',
  ])('is seen in the symbol %j', (symbol) => {
    const match = imitated({ address: other, symbol: symbol.replace(/^\$/, ''), name: 'x' })
    expect(match).toBe(USDG)
  })
  it.each(['SPY', 'ЅРУ', 'sру', 'S P Y'])('is seen in %j', (symbol) => {
    expect(imitated({ address: other, symbol, name: 'x' })).toBe(SPY)
  })
  it.each(['CBBTC', 'cb8TC', 'сbВТС'])('is seen in %j', (symbol) => {
    expect(imitated({ address: other, symbol, name: 'x' })).toBe(CBBTC)
  })
  it('is seen in the name alone', () => {
    expect(imitated({ address: other, symbol: 'GD', name: 'GIobal  DoIlar' })).toBe(USDG)
    expect(imitated({ address: other, symbol: 'GD', name: 'Global Dollar' })).toBe(USDG)
  })
  it('is neither a token that only shares letters nor the asset itself', () => {
    for (const symbol of ['USDGX', 'GUSD', 'SPYX', 'SP', 'BTC', '', '!!!', 'USDT']) {
      expect(imitated({ address: other, symbol, name: 'Something Else' }), symbol).toBeNull()
    }
    expect(imitated({ ...USDG, address: USDG.address.toUpperCase().replace('0X', '0x') })).toBeNull()
  })
  it('has a skeleton that does not change when taken twice', () => {
    for (const text of ['USDG', 'Global Dollar', 'l1iI|', 'ßΣΩ', '0Oo'])
      expect(skeleton(skeleton(text))).toBe(skeleton(text))
  })
})
