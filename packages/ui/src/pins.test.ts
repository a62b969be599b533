import type { ChainProfile } from '@pit/protocol'
import { expect, it } from 'vitest'
import { acceptPins, hasChanged } from './pins.ts'

const PROFILE = {
  kind: 'mainnet',
  chain_id: 4663,
  rpc_urls: ['https://rpc.example'],
} as unknown as ChainProfile

function storage() {
  const items = new Map<string, string>()
  return {
    getItem: (name: string) => items.get(name) ?? null,
    setItem: (name: string, value: string) => void items.set(name, value),
  }
}

it('remembers pins and their node, and notices when either changes', () => {
  const remembered = storage()
  expect(hasChanged(remembered, PROFILE)).toBe(false)
  acceptPins(PROFILE, remembered)
  expect(hasChanged(remembered, PROFILE)).toBe(false)
  expect(hasChanged(remembered, { ...PROFILE, rpc_urls: ['https://evil.example'] })).toBe(true)
  expect(hasChanged(remembered, { ...PROFILE, rpc_urls: [] })).toBe(true)
  expect(hasChanged(remembered, { ...PROFILE, chain_id: 1 } as never)).toBe(true)
})

it('takes the first node it sees of a browser that remembers none yet', () => {
  const remembered = storage()
  acceptPins(PROFILE, { setItem: (name, value) => name === 'pit.pins' && remembered.setItem(name, value) })
  expect(hasChanged(remembered, PROFILE)).toBe(false)
})
