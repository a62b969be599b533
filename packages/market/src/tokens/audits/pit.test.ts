import { describeAudit, TOKEN } from './test/auditCase.ts'

const said = (over: object = {}) => ({
  chain_id: 4663,
  address: TOKEN,
  verdict: 'verified',
  url: 'https://audit.example/r',
  ...over,
})

describeAudit({
  kind: 'pit',
  asked: `/tokens/4663/${TOKEN}`,
  good: said(),
  matter: [['chain_id'], ['address'], ['verdict']],
  opinions: [
    ['a verified token', said(), 'verified', []],
    ['a flagged token', said({ verdict: 'flagged' }), 'flagged', []],
    ['a token nobody looked at', said({ verdict: 'unknown' }), 'unverified', []],
    ['another chain', said({ chain_id: 1 }), 'AUDIT_UNAVAILABLE', []],
  ],
})
