import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { executorAttestationText, parseStockAttestation, stockAttestationText } from './attestations.ts'

const EXECUTOR = `0x${'ab'.repeat(20)}`
const OWNER = `0x${'cd'.repeat(20)}`
const executor = { executor: EXECUTOR, owner: OWNER, agentId: 'agt_0123', chainId: 4663 }
const stock = {
  agentId: 'agt_0123',
  executor: EXECUTOR,
  sessionId: 'ses_4567',
  rootHash: `0x${'0f'.repeat(32)}`,
  issuedS: 1_768_478_400,
  expiresS: 1_768_564_800,
  chainId: 4663,
}

describe('the text of an attestation', () => {
  it('of an executor is the same for anybody who builds it', () => {
    expect(executorAttestationText(executor)).toBe(
      `Pit executor attestation

The co-signer holds the key of this executor. It signs with it only trades of sessions that the owner granted, and sends its gas back only to the owner.

Chain ID: 4663
Executor: 0xabababababababababababababababababababab
Owner: 0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd
Agent: agt_0123`,
    )
  })

  it('of stock tokens is the same for anybody who builds it', () => {
    expect(stockAttestationText(stock)).toBe(
      `Pit stock token attestation

I own the wallet that granted this session. I am not a US person and do not act for one. Until this attestation expires or I take it back, this agent may trade stock tokens in this session.

Chain ID: 4663
Agent: agt_0123
Executor: 0xabababababababababababababababababababab
Session: ses_4567
Session root: 0x0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f
Issued: 1768478400 (2026-01-15T12:00:00Z)
Expires: 1768564800 (2026-01-16T12:00:00Z)`,
    )
  })

  it('is read back to its terms, and no text that differs is', () => {
    const text = stockAttestationText(stock)
    expect(parseStockAttestation(text)).toEqual(stock)
    fc.assert(
      fc.property(
        fc.nat({ max: text.length }),
        fc.string({ maxLength: 2 }),
        fc.nat({ max: 1 }),
        (at, put, cut) => {
          const changed = text.slice(0, at) + put + text.slice(at + cut)
          const read = parseStockAttestation(changed)
          if (read) expect(stockAttestationText(read)).toBe(changed)
        },
      ),
      { numRuns: 2_000 },
    )
    expect(parseStockAttestation(`${text}\n`)).toBeNull()
    expect(parseStockAttestation(`${text}\nI owe you.`)).toBeNull()
  })

  it('spells addresses one way', () => {
    const shouted = {
      ...executor,
      executor: EXECUTOR.toUpperCase().replace('X', 'x'),
      owner: `0x${'CD'.repeat(20)}`,
    }
    expect(executorAttestationText(shouted)).toBe(executorAttestationText(executor))
  })

  it.each([
    { ...stock, agentId: 'agt\nSession: mine' },
    { ...stock, agentId: '' },
    { ...stock, sessionId: 'a b' },
    { ...stock, executor: '0x12' },
    { ...stock, executor: `0x${'0'.repeat(40)}` },
    { ...stock, rootHash: EXECUTOR },
    { ...stock, issuedS: 1.5 },
    { ...stock, expiresS: -1 },
    { ...stock, expiresS: 1e12 },
    { ...stock, chainId: Number.NaN },
  ])('takes no field that would read as something else: %j', (terms) => {
    expect(() => stockAttestationText(terms)).toThrow(TypeError)
  })

  it('changes with every field', () => {
    const changes = [
      { agentId: 'agt_0124' },
      { executor: OWNER },
      { sessionId: 'ses_4568' },
      { rootHash: `0x${'0e'.repeat(32)}` },
      { issuedS: stock.issuedS + 1 },
      { expiresS: stock.expiresS + 1 },
      { chainId: 1 },
    ]
    const texts = changes.map((change) => stockAttestationText({ ...stock, ...change }))
    expect(new Set([...texts, stockAttestationText(stock)]).size).toBe(changes.length + 1)
  })
})
