import { readSecretText, type SecretSetting, StartRefused, secretFile } from '@pit/platform/settings'

/** PEM texts: trusted authority and client certificate. */
export interface TlsIdentity {
  ca: string
  cert: string
  key: string
}

/** Address and TLS files of the signer. */
export interface SignerWay {
  /** `http://…`, `https://…`, or `unix:` and the path of a socket file. */
  url: string
  /** With https only. */
  tls: Record<keyof TlsIdentity, SecretSetting> | null
}

/** TLS files that authenticate signer and caller to each other. */
const TLS_FILES = ['SIGNER_CA_FILE', 'SIGNER_CLIENT_CERT_FILE', 'SIGNER_CLIENT_KEY_FILE'] as const

/** The signer's address from the settings; throws if they contradict each other. */
export function signerWayOf(env: Record<string, string | undefined>, url: string): SignerWay {
  const files = TLS_FILES.map((name) => secretFile(env, name))
  const isUnix = socketOf(url) !== undefined
  const protocol = !isUnix && URL.canParse(url) ? new URL(url).protocol : null
  if (!isUnix && protocol !== 'http:' && protocol !== 'https:') {
    throw new StartRefused(
      `SIGNER_URL is "${url}": use an address such as http://127.0.0.1:4664, ` +
        'unix:/run/pit-signer/signer.sock, or https://signer.example:4664 with certificates',
    )
  }
  if (protocol !== 'https:') {
    const extra = TLS_FILES.find((_, i) => files[i] !== null)
    if (extra !== undefined) throw new StartRefused(`${extra} is set, but SIGNER_URL is not https`)
    return { url, tls: null }
  }
  const missing = TLS_FILES.find((_, i) => files[i] === null)
  if (missing !== undefined)
    throw new StartRefused(`${missing} is not set: a signer over https needs all of ${TLS_FILES.join(', ')}`)
  const [ca, cert, key] = files as [SecretSetting, SecretSetting, SecretSetting]
  return { url, tls: { ca, cert, key } }
}

/** Options of `createSignerClient`. */
export const readSignerWay = ({ url, tls }: SignerWay): { url: string; tls: TlsIdentity | null } => ({
  url,
  tls: tls && {
    ca: readSecretText(tls.ca),
    cert: readSecretText(tls.cert),
    key: readSecretText(tls.key),
  },
})

/** The path of `unix:/path`; undefined for other addresses. */
export const socketOf = (url: string): string | undefined => /^unix:(\/.+)$/.exec(url)?.[1]

/** Handshake errors in words, for operators fixing certificates. */
const IN_WORDS: Record<string, string> = {
  CERT_HAS_EXPIRED: 'its certificate has expired',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not signed by the authority in SIGNER_CA_FILE',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not signed by the authority in SIGNER_CA_FILE',
  UNABLE_TO_GET_ISSUER_CERT: 'its certificate is not signed by the authority in SIGNER_CA_FILE',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'its certificate is not signed by the authority in SIGNER_CA_FILE',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not signed by the authority in SIGNER_CA_FILE',
  CERT_SIGNATURE_FAILURE: 'its certificate is not signed by the authority in SIGNER_CA_FILE',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host name than SIGNER_URL',
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: 'it requires a client certificate',
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: 'it does not trust the authority of our client certificate',
  ERR_SSL_TLS_ALERT_UNKNOWN_CA: 'it does not trust the authority of our client certificate',
  ERR_SSL_SSL_TLS_ALERT_CERTIFICATE_EXPIRED: 'our client certificate has expired',
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: 'our client certificate has expired',
  ERR_SSL_SSL_TLS_ALERT_BAD_CERTIFICATE: 'it rejects our client certificate',
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: 'it rejects our client certificate',
  EACCES: 'this user has no permission to open its socket',
}
export const handshakeInWords = (code: string | undefined): string | undefined =>
  code === undefined ? undefined : IN_WORDS[code]
