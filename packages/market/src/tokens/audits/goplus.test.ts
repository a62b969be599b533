import { describeAudit, TOKEN } from './test/auditCase.ts'

const CLEAN = {
  is_honeypot: '0',
  cannot_sell_all: '0',
  is_open_source: '1',
  is_proxy: '0',
  is_mintable: '0',
  transfer_pausable: '0',
  is_blacklisted: '0',
  slippage_modifiable: '0',
  hidden_owner: '0',
  buy_tax: '0',
  sell_tax: '0',
  holder_count: '120',
  holders: [{ address: TOKEN, percent: '0.9', is_contract: 0 }],
}
const said = (over: object = {}, code = 1) => ({
  code,
  message: 'OK',
  result: { [TOKEN]: { ...CLEAN, ...over } },
})

describeAudit({
  kind: 'goplus',
  asked: `/api/v1/token_security/4663?contract_addresses=${TOKEN}`,
  good: said(),
  matter: [
    ['code'],
    ['result'],
    ['result', TOKEN],
    ...['is_honeypot', 'cannot_sell_all', 'is_open_source', 'buy_tax', 'sell_tax'].map((field) => [
      'result',
      TOKEN,
      field,
    ]),
  ],
  opinions: [
    ['a clean token: verified', said(), 'verified', []],
    ['a clean token read in part, with all that counts', said({}, 2), 'verified', []],
    ['a honeypot: flagged', said({ is_honeypot: '1' }), 'flagged', ['HONEYPOT']],
    ['one that cannot be sold whole', said({ cannot_sell_all: '1' }), 'flagged', ['TRANSFER_BLOCKED']],
    ['a sell tax over a tenth', said({ sell_tax: '0.1001' }), 'flagged', ['SELL_TAX']],
    ['a sell tax of all', said({ sell_tax: '1' }), 'flagged', ['SELL_TAX']],
    ['a small sell tax', said({ sell_tax: '0.05' }), 'unverified', []],
    ['a small buy tax', said({ buy_tax: '0.03' }), 'verified', ['BUY_TAX']],
    ['a large buy tax', said({ buy_tax: '0.5' }), 'flagged', ['BUY_TAX']],
    ['a fake', said({ fake_token: { true_token_address: TOKEN, value: 1 } }), 'flagged', ['IMPERSONATOR']],
    ['an owner of balances', said({ owner_change_balance: '1' }), 'flagged', ['OWNER_CONTROLS']],
    ['unknown honesty, never fine', said({ is_honeypot: '' }), 'unverified', []],
    ['an unknown tax', said({ sell_tax: '' }), 'unverified', []],
    ['closed source', said({ is_open_source: '0' }), 'unverified', []],
    ['nothing at all of it', { code: 1, message: 'OK', result: {} }, 'unverified', []],
    ['no field of it', { code: 2, message: 'partial', result: { [TOKEN]: {} } }, 'unverified', []],
    ['a proxy that can mint', said({ is_proxy: '1', is_mintable: '1' }), 'verified', ['MINTABLE', 'PROXY']],
    [
      'powers of nobody knows whom',
      said({ transfer_pausable: '1', is_blacklisted: '1' }),
      'unverified',
      ['BLACKLIST', 'OWNER_CONTROLS'],
    ],
    [
      'powers over a token of its trust list',
      said({ trust_list: '1', is_blacklisted: '1' }),
      'verified',
      ['BLACKLIST'],
    ],
    [
      'powers over a token that the profile lists',
      said({ transfer_pausable: '1', is_blacklisted: '1' }),
      'verified',
      ['BLACKLIST', 'OWNER_CONTROLS'],
      'listed',
    ],
    ['a honeypot that the profile lists', said({ is_honeypot: '1' }), 'flagged', ['HONEYPOT'], 'listed'],
    ['too many questions', { code: 4_029, message: 'Request limit', result: {} }, 'AUDIT_UNAVAILABLE', []],
    ['another token', { code: 1, result: { [TOKEN.replace('ab', 'ff')]: CLEAN } }, 'AUDIT_UNAVAILABLE', []],
  ],
})
