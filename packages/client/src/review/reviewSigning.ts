import { CHAIN_ID, lower } from '@pit/protocol'
import type { CodeAuthorization } from '../account.ts'
import { effectText, isOfReturn } from './effects.ts'
import { reviewMessage } from './reviewMessage.ts'
import { reviewTransaction } from './reviewTransaction.ts'
import { reviewTypedData } from './reviewTypedData.ts'
import {
  deny,
  type Reading,
  type ReviewContext,
  type Reviewed,
  SigningRefused,
  type SigningRequest,
  type SigningReview,
} from './terms.ts'

/**
 * Reads what a wallet is asked to sign, by the pins and the curves of the wallet's own node: no server takes part.
 * Refuses everything whose effects it does not know.
 * @public
 */
export function reviewSigning(context: ReviewContext, request: SigningRequest): Reviewed {
  try {
    switch (request.kind) {
      case 'message': {
        const text = request.payload
        return { kind: 'message', text, ...asReview(context, reviewMessage(context, text)) }
      }
      case 'typedData': {
        const { data, reading } = reviewTypedData(context, request.payload)
        return { kind: 'typedData', data, ...asReview(context, reading) }
      }
      case 'transaction': {
        const { transaction, reading } = reviewTransaction(context, request.payload)
        return { kind: 'transaction', transaction, ...asReview(context, reading) }
      }
      case 'authorization': {
        const { authorization, reading } = readAuthorization(context, request.payload)
        return { kind: 'authorization', authorization, ...asReview(context, reading) }
      }
    }
  } catch (error) {
    if (error instanceof SigningRefused) throw error
    return deny(`the request cannot be read (${(error as Error).message.slice(0, 200)})`)
  }
}

function asReview({ pins }: ReviewContext, reading: Reading): SigningReview {
  const { title, effects, warnings = [], confirmAddresses = [] } = reading
  const own = effects.filter(({ kind }) => kind !== 'network_fee')
  const unpinned = effects.flatMap((effect) =>
    effect.kind === 'arrives' && !pins.tokens.has(effect.token)
      ? [`${effect.token} is not a pinned token: this wallet cannot tell whether it is worth anything.`]
      : [],
  )
  return {
    title,
    effects: effects.map((effect) => ({ ...effect, text: effectText(pins, effect) })),
    warnings: [...new Set([...warnings, ...unpinned])],
    isReturn: own.length > 0 && own.every(isOfReturn),
    confirmAddresses: [...new Set(confirmAddresses)],
  }
}

function readAuthorization({ pins }: ReviewContext, given: CodeAuthorization) {
  const address = lower(given.address)
  if (given.chainId !== pins.profile.chain_id || address !== pins.addresses.delegator)
    deny('the authorization is not for the pinned delegator on this chain')
  return {
    authorization: { chainId: CHAIN_ID, address, nonce: given.nonce },
    reading: {
      title: 'Let this wallet run the session contract (EIP-7702)',
      effects: [{ kind: 'code', contract: address }],
    } satisfies Reading,
  }
}
