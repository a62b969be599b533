import type { Hex } from '@pit/chain'
import { toFunctionSelector } from 'viem'

/** Powers over a token that others than its holder have, by the functions in its code. */
export const POWERS = {
  mint: [
    'mint(address,uint256)',
    'mint(uint256)',
    'mintTo(address,uint256)',
    'ownerMint(address,uint256)',
    'adminMint(address,uint256)',
    'issue(uint256)',
    'issue(address,uint256)',
    'crosschainMint(address,uint256)',
  ],
  blacklist: [
    'blacklist(address)',
    'blackList(address)',
    'addBlacklist(address)',
    'addBlackList(address)',
    'addToBlacklist(address)',
    'blacklistAddress(address)',
    'blacklistAddress(address,bool)',
    'setBlacklist(address,bool)',
    'setBlackList(address,bool)',
    'setBlacklisted(address,bool)',
    'isBlacklisted(address)',
    'isBlackListed(address)',
    'blacklisted(address)',
    'freeze(address)',
    'freezeAccount(address,bool)',
    'block(address)',
    'blockAddress(address)',
    'ban(address)',
    'addBot(address)',
    'addBots(address[])',
    'setBots(address[])',
    'setBot(address,bool)',
    'destroyBlackFunds(address)',
  ],
  pause: ['pause()', 'setPaused(bool)', 'setPause(bool)', 'pauseTrading()', 'stopTrading()', 'freeze()'],
  trading: [
    'enableTrading()',
    'openTrading()',
    'disableTrading()',
    'setTrading(bool)',
    'setTradingEnabled(bool)',
    'tradingEnabled(bool)',
    'setMaxTxAmount(uint256)',
    'setMaxTxPercent(uint256)',
    'setMaxWallet(uint256)',
    'setMaxWalletSize(uint256)',
    'setMaxTransactionAmount(uint256)',
    'setCooldown(uint256)',
    'setCooldownEnabled(bool)',
  ],
  tax: [
    'setTax(uint256)',
    'setTaxes(uint256,uint256)',
    'setFee(uint256)',
    'setFees(uint256,uint256)',
    'setBuyTax(uint256)',
    'setSellTax(uint256)',
    'setBuyFee(uint256)',
    'setSellFee(uint256)',
    'setTaxFeePercent(uint256)',
    'setLiquidityFeePercent(uint256)',
    'updateFees(uint256,uint256)',
    'updateBuyFees(uint256,uint256,uint256)',
    'updateSellFees(uint256,uint256,uint256)',
    'excludeFromFee(address)',
    'excludeFromFees(address,bool)',
  ],
  seize: [
    'forceTransfer(address,address,uint256)',
    'forcedTransfer(address,address,uint256)',
    'adminTransfer(address,address,uint256)',
    'controllerTransfer(address,address,uint256,bytes,bytes)',
    'burnFrom(address)',
    'wipeFrozenAddress(address)',
    'clawback(address,uint256)',
    'confiscate(address,uint256)',
  ],
  rebase: [
    'rebase(uint256)',
    'rebase(int256)',
    'rebase(uint256,int256)',
    'rebase(uint256,uint256)',
    'setRebaseFactor(uint256)',
    'gonsForBalance(uint256)',
    'scaledBalanceOf(address)',
    'getSharesByPooledEth(uint256)',
    'rebasingCredits()',
  ],
} as const
export type Power = keyof typeof POWERS

const BRIDGED = ['remoteToken()', 'l1Address()', 'l1Token()', 'bridgeMint(address,uint256)']

const digits = (signature: string): string => toFunctionSelector(signature).slice(2)
const SELECTORS = Object.entries(POWERS).map(([power, signatures]): [Power, string[]] => [
  power as Power,
  signatures.map(digits),
])
const BRIDGED_SELECTORS = BRIDGED.map(digits)

export function powersIn(code: Hex): { powers: Power[]; bridged: boolean; selectors: Set<string> } {
  const selectors = selectorsIn(code)
  const has = (selector: string) => selectors.has(selector)
  return {
    powers: SELECTORS.filter(([, known]) => known.some(has)).map(([power]) => power),
    bridged: BRIDGED_SELECTORS.some(has),
    selectors,
  }
}

const PUSH1 = 0x60
const PUSH4 = 0x63
const PUSH32 = 0x7f

/** The four-byte constants of the code, decoded by instruction: parts of longer constants do not count. */
export function selectorsIn(code: Hex): Set<string> {
  const bytes = Buffer.from(code.slice(2), 'hex')
  const selectors = new Set<string>()
  for (let at = 0; at < bytes.length; at++) {
    const op = bytes[at] as number
    if (op < PUSH1 || op > PUSH32) continue
    const size = op - PUSH1 + 1
    if (op === PUSH4) selectors.add(bytes.toString('hex', at + 1, at + 5))
    at += size
  }
  return selectors
}
