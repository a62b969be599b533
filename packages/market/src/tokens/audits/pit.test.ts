import { describeAudit, TOKEN } from './test/auditCase.ts'

const answerWith = (over: object = {}) => ({
  chain_id: 4663,
  address: TOKEN,
  verdict: 'verified',
  url: 'https://audit.example/r',
  ...over,
})

describeAudit({
  kind: 'pit',
  asked: `/tokens/4663/${TOKEN}`,
  good: answerWith(),
  matter: [['chain_id'], ['address'], ['verdict']],
  opinions: [
    ['a verified token', answerWith(), 'verified', []],
    ['a flagged token', answerWith({ verdict: 'flagged' }), 'flagged', []],
    ['a token without an audit', answerWith({ verdict: 'unknown' }), 'unverified', []],
    ['another chain', answerWith({ chain_id: 1 }), 'AUDIT_UNAVAILABLE', []],
  ],
})
