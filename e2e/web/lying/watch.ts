import { type Address, type Hex, readSwap } from '@pit/chain'
import type { ChainProfile } from '@pit/protocol'
import type { Page, Request } from 'playwright-core'
import { parseTransaction } from 'viem'
import { DIGITS, WORD } from './sentinels.ts'

/** Reads a page as a person does: what it shows, what it marks as the server's, and what it signs. */

/** Texts with a sentinel that nothing marks as the server's; in a confirmation every one counts. */
export const unlabelled = (page: Page): Promise<string[]> => page.evaluate(UNLABELLED)

const UNLABELLED = `(() => {
  const isLie = (text) => {
    // A hash or an address is a name, and its link leads to the node's reading.
    const plain = text.replace(/0x[0-9a-fA-F]+(…[0-9a-fA-F]+)?/g, '')
    return plain.includes('${WORD}') || plain.replace(/[^0-9a-zA-Z]/g, '').includes('${DIGITS}')
  }
  const isMarked = (element) => {
    if (element.closest('option, [title^="According to the server"], .by-server, .server-words')) return true
    if (element.closest('dialog, [aria-label="Transactions to sign"]')) return false
    const card = element.closest('.card')
    const title = card?.querySelector('h2')?.textContent
    if (title === 'Review before signing' || title === 'Receipt') return false
    if (card?.querySelector(':scope > footer .by-server, :scope > .flush > .pad > .by-server')) return true
    if (card?.querySelector(':scope > .body > .by-server')) return true
    if (element.closest('.notice')?.querySelector('.by-server, .server-words')) return true
    if (element.closest('.lead')?.querySelector('.by-server')) return true
    return document.querySelector('main .page > header > div > p.by-server') !== null
  }
  const texts = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement
    if (!element || !isLie(node.textContent) || isMarked(element)) continue
    const place = element.closest('dialog, .card')?.querySelector('h2')?.textContent ?? 'the page'
    texts.push(node.textContent.slice(0, 120) + ' in ' + place)
  }
  return texts
})()`

/** Whether the page shows nothing, or an error of the program itself. */
export async function crashOf(page: Page): Promise<string | null> {
  const text = await page
    .locator('main')
    .innerText()
    .catch(() => '')
  if (text.trim() === '') return 'a blank page'
  const fault = /Something went wrong|TypeError|undefined is not|Cannot read|is not a function/.exec(text)
  return fault && text.slice(fault.index, fault.index + 200)
}

export interface SignedSwapBytes {
  tokenIn: Address
  tokenOut: Address
  amountIn: bigint
  amountOutMin: bigint
  feeRecipient: Address | null
}

/** Raw transactions that the page hands over, decoded; other calls are null. */
export function signedSwaps(page: Page, profile: ChainProfile): { all: (SignedSwapBytes | null)[] } {
  const swaps: { all: (SignedSwapBytes | null)[] } = { all: [] }
  page.on('request', (request) => {
    for (const raw of rawIn(request)) swaps.all.push(swapIn(profile, raw))
  })
  return swaps
}

function rawIn(request: Request): Hex[] {
  if (request.method() !== 'POST') return []
  const text = request.postData() ?? ''
  if (!/live\/submit$|\/rpc$/.test(request.url()) && !text.includes('eth_sendRawTransaction')) return []
  return [...new Set(text.match(/0x02[0-9a-f]{200,}/g) ?? [])] as Hex[]
}

function swapIn({ contracts }: ChainProfile, raw: Hex): SignedSwapBytes | null {
  const { to, data } = parseTransaction(raw)
  if (to?.toLowerCase() !== contracts.universal_router?.toLowerCase() || !data) return null
  const swap = readSwap(data, {
    weth: contracts.weth!.toLowerCase() as Address,
    layout: contracts.universal_router_layout,
  })
  if ('fault' in swap) throw new Error(`the signed swap cannot be read: ${swap.fault}`)
  const { tokenIn, tokenOut, amountIn, amountOutMin, fee } = swap
  return { tokenIn, tokenOut, amountIn, amountOutMin, feeRecipient: fee?.recipient ?? null }
}
