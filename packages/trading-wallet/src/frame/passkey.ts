import type { Passkey } from '../walletFile.ts'

/** A passkey's PRF output, through HKDF, is the keystore's secret. It never leaves this frame and its worker. */
export interface PasskeySecret {
  passkey: Passkey
  secret: string
}

export const hasPasskeys = (): boolean => typeof window.PublicKeyCredential === 'function'

const NO_PRF =
  'This passkey cannot protect a wallet: its authenticator has no PRF extension. Use a passphrase, or another ' +
  'authenticator.'

export async function createPasskey(): Promise<PasskeySecret> {
  const salt = crypto.getRandomValues(new Uint8Array(32))
  const credential = (await navigator.credentials.create({
    publicKey: {
      challenge: crypto.getRandomValues(new Uint8Array(32)),
      rp: { name: 'Pit trading wallet' },
      user: {
        id: crypto.getRandomValues(new Uint8Array(16)),
        name: 'Pit trading wallet',
        displayName: 'Pit trading wallet',
      },
      pubKeyCredParams: [
        { type: 'public-key', alg: -7 },
        { type: 'public-key', alg: -257 },
      ],
      authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      extensions: { prf: { eval: { first: salt } } },
    },
  })) as PublicKeyCredential | null
  if (!credential) throw new Error('No passkey was created.')
  const { prf } = credential.getClientExtensionResults()
  if (!prf?.enabled && !prf?.results) throw new Error(NO_PRF)
  const passkey = { credential_id: toBase64Url(credential.rawId), salt: toHex(salt) }
  const output = prf.results?.first
  return { passkey, secret: output ? await secretOf(output) : await askPasskey(passkey) }
}

/** The secret of a wallet's passkey. */
export async function askPasskey({ credential_id, salt }: Passkey): Promise<string> {
  const credential = (await navigator.credentials.get({
    publicKey: {
      challenge: crypto.getRandomValues(new Uint8Array(32)),
      allowCredentials: [{ type: 'public-key', id: fromBase64Url(credential_id) }],
      userVerification: 'required',
      extensions: { prf: { eval: { first: fromHex(salt) } } },
    },
  })) as PublicKeyCredential | null
  const output = credential?.getClientExtensionResults().prf?.results?.first
  if (!output) throw new Error(NO_PRF)
  return secretOf(output)
}

async function secretOf(output: BufferSource): Promise<string> {
  const base = await crypto.subtle.importKey('raw', output, 'HKDF', false, ['deriveBits'])
  const info = new TextEncoder().encode('pit trading wallet keystore v1')
  const derivation = { name: 'HKDF', hash: 'SHA-256', salt: new Uint8Array(), info }
  return toHex(new Uint8Array(await crypto.subtle.deriveBits(derivation, base, 256)))
}

const toHex = (bytes: Uint8Array): string =>
  [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
const fromHex = (digits: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(digits.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
const toBase64Url = (bytes: ArrayBuffer): string =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
const fromBase64Url = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
