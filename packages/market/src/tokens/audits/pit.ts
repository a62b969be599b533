import { fieldAt, refuseStatus, VendorRefused } from '@pit/platform/http'
import { CHAIN_ID } from '@pit/protocol'
import type { AuditProvider, Verdict } from './provider.ts'

const MAX_URL_CHARS = 512
/** The provider's verdicts in our words. */
const VERDICTS: Record<string, Verdict> = { verified: 'verified', flagged: 'flagged', unknown: 'unverified' }

/** Our own shape: one verdict word, with the chain and the token it is about. */
export const pit: AuditProvider = {
  rate: { perMinute: 6_000, burst: 1_000 },
  request: (baseUrl, token) => ({ url: `${baseUrl}/tokens/${CHAIN_ID}/${token}` }),
  read(answer, { token }) {
    refuseStatus(answer)
    const { body } = answer
    const word = fieldAt(body, 'verdict')
    const verdict = typeof word === 'string' && Object.hasOwn(VERDICTS, word) ? VERDICTS[word] : undefined
    if (verdict === undefined) throw new VendorRefused('MALFORMED')
    const address = fieldAt(body, 'address')
    if (fieldAt(body, 'chain_id') !== CHAIN_ID || String(address).toLowerCase() !== token) {
      throw new VendorRefused('OTHER')
    }
    return { verdict, url: webAddress(fieldAt(body, 'url')), findings: [] }
  },
}

function webAddress(url: unknown): string | null {
  if (typeof url !== 'string' || url.length > MAX_URL_CHARS || !URL.canParse(url)) return null
  return /^https?:$/.test(new URL(url).protocol) ? url : null
}
