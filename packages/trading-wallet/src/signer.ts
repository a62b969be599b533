import {
  fromViem,
  type ListedCurve,
  pinsOf,
  reviewSigning,
  type SigningRequest,
  type SigningReview,
} from '@pit/client'
import type { ChainProfile } from '@pit/protocol'
import type { Hex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import {
  type About,
  openFile,
  SCRYPT,
  sealFile,
  WalletFault,
  type WalletFile,
  withAbout,
} from './walletFile.ts'

/** The frame reads all of it by itself, never from the page that asks. */
export interface SigningPlace {
  profile: ChainProfile
  host: string
  /** Curves of the request, by the frame's own node. */
  curves: readonly ListedCurve[]
}
type Secret = { secret: string }

/** Calls of the worker: the only ones that ever see the key or its secret. */
export interface SignerCalls {
  create(input: Secret & Pick<About, 'return_address' | 'passkey' | 'lock_minutes'>): Promise<WalletFile>
  /** `return_address` for a file of another program, which has none. */
  open(input: Secret & { file: WalletFile; return_address?: Hex }): Promise<WalletFile>
  /** The address a file opens to; what is unlocked stays as it is. */
  check(input: Secret & { file: WalletFile }): Promise<Hex>
  /** The key under another secret: the passphrase form of a passkey's wallet. */
  reseal(input: Secret): Promise<WalletFile>
  change(input: Partial<Pick<About, 'backed_up' | 'lock_minutes' | 'unknown_calls'>>): Promise<WalletFile>
  review(input: { request: SigningRequest; place: SigningPlace }): Promise<SigningReview>
  sign(input: { request: SigningRequest; place: SigningPlace }): Promise<Hex>
}

interface Unlocked {
  key: Hex
  file: WalletFile
  about: About
}

export function createSigner({
  nowMs = Date.now,
  cost = SCRYPT as { n: number; r: number; p: number },
} = {}): SignerCalls {
  let unlocked: Unlocked | null = null
  const own = (): Unlocked => {
    if (!unlocked) throw new WalletFault('WRONG_SECRET', 'The wallet is locked.')
    return unlocked
  }
  const keep = (key: Hex, file: WalletFile): WalletFile => {
    unlocked = { key, file, about: file.pit!.about }
    return file
  }
  const newAbout = (given: Pick<About, 'return_address' | 'passkey' | 'lock_minutes'>): About => ({
    ...given,
    return_address: given.return_address.toLowerCase() as Hex,
    created_at: Math.floor(nowMs() / 1000),
    backed_up: false,
  })
  const reviewed = ({ request, place }: Parameters<SignerCalls['review']>[0]) => {
    const { key, about } = own()
    const wallet = privateKeyToAccount(key).address.toLowerCase() as Hex
    const { profile, host, curves } = place
    const set = { returnAddress: about.return_address, allowsUnknownCalls: about.unknown_calls === true }
    return reviewSigning({ ...set, wallet, host, curves, pins: pinsOf(profile) }, request)
  }
  return {
    async create({ secret, return_address, passkey, lock_minutes }) {
      const key = generatePrivateKey()
      return keep(key, await sealFile(key, secret, newAbout({ return_address, passkey, lock_minutes }), cost))
    },
    async open({ file, secret, return_address }) {
      const key = await openFile(file, secret)
      if (file.pit) return keep(key, file)
      if (!return_address) throw new WalletFault('UNSUPPORTED', 'The file has no return address. Enter one.')
      const about = { ...newAbout({ return_address, passkey: null, lock_minutes: 15 }), backed_up: true }
      const named = { ...file, address: privateKeyToAccount(key).address.toLowerCase().slice(2) }
      return keep(key, await withAbout(named, key, about))
    },
    async check({ file, secret }) {
      return privateKeyToAccount(await openFile(file, secret)).address.toLowerCase() as Hex
    },
    async reseal({ secret }) {
      const { key, about } = own()
      return sealFile(key, secret, { ...about, passkey: null }, cost)
    },
    async change(input) {
      const { key, file, about } = own()
      return keep(key, await withAbout(file, key, { ...about, ...input }))
    },
    async review(input) {
      const { title, effects, warnings, isReturn, confirmAddresses } = reviewed(input)
      return { title, effects, warnings, isReturn, confirmAddresses }
    },
    async sign(input) {
      const content = reviewed(input)
      const account = fromViem(privateKeyToAccount(own().key))
      switch (content.kind) {
        case 'message':
          return account.signMessage(content.text)
        case 'typedData':
          return account.signTypedData(content.data)
        case 'transaction':
          return account.signTransaction(content.transaction)
        case 'authorization':
          return account.signAuthorization!(content.authorization)
      }
    },
  }
}
