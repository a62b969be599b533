import type { ChainProfile } from '@pit/protocol'
import { describe, expect, it } from 'vitest'
import { addressWith, chooseNode, nodeFault } from './node.ts'

const profile = (...rpc_urls: string[]) => ({ rpc_urls }) as unknown as ChainProfile

describe('the node that verifies', () => {
  it('is the visitor’s own, else the pins’, else the server’s', () => {
    const [own, pinned] = ['https://mine.example/key', 'https://rpc.example']
    expect(chooseNode(own, profile(pinned))).toEqual({ whose: 'yours', url: own })
    expect(chooseNode(null, profile(pinned))).toEqual({ whose: 'pins', url: pinned })
    expect(chooseNode(null, profile())).toEqual({ whose: 'server', url: null })
  })
  it.each([
    ['https://node.example/v1/key', null],
    ['http://127.0.0.1:8545', null],
    ['http://node.example', /https/],
    ['node.example', /such as/],
    ['javascript:alert(1)', /https/],
  ])('may be %s: %s', (text, fault) => {
    if (fault === null) expect(nodeFault(text)).toBeNull()
    else expect(nodeFault(text)).toMatch(fault)
  })
  it('is named to the server by its origin alone: the path may hold a key', () => {
    const href = 'https://pit.example/trade?in=ETH&node=https%3A%2F%2Fother.example'
    expect(addressWith(href, 'https://mine.example/secret?k=1')).toBe(
      'https://pit.example/trade?in=ETH&node=https%3A%2F%2Fmine.example',
    )
    expect(addressWith(href, null)).toBe('https://pit.example/trade?in=ETH')
  })
})
