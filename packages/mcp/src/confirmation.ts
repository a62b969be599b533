import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { canonicalJson, type Json } from '@pit/protocol'
import { MCP_ERRORS } from './errors.ts'
import { ToolRefusal } from './refusal.ts'

type Request = Pick<ServerContext['mcpReq'], 'inputResponses' | 'requestState' | 'envelope'>

/** Asks the user through the host, not the model. A confirmation is valid only for the same tool and arguments. */
export function createConfirmation() {
  const key = randomBytes(32)
  const sealOf = (tool: string, args: object): string =>
    createHmac('sha256', key)
      .update(canonicalJson({ tool, args } as unknown as Json))
      .digest('hex')

  /** Returns the question to send, or null once the user has accepted; throws otherwise. */
  return (request: Request, tool: string, args: object, question: string): InputRequiredResult | null => {
    const seal = sealOf(tool, args)
    const answer = inputResponse(request.inputResponses, 'confirm')
    const state = request.requestState()
    if (answer.kind === 'missing' && state === undefined)
      return inputRequired({
        requestState: seal,
        inputRequests: {
          confirm: inputRequired.elicit({
            message: question,
            requestedSchema: { type: 'object', properties: {} },
          }),
        },
      })
    const isAccepted = answer.kind === 'elicit' && answer.action === 'accept'
    if (isAccepted && typeof state === 'string' && isSame(state, seal)) return null
    const { message, what_to_do } = MCP_ERRORS.NOT_CONFIRMED
    throw new ToolRefusal('NOT_CONFIRMED', message, what_to_do)
  }
}

function isSame(state: string, seal: string): boolean {
  return state.length === seal.length && timingSafeEqual(Buffer.from(state), Buffer.from(seal))
}

/** Whether the host can show a form to its user, as declared by the request or at connection start. */
export function offersForms(request: Request, atStart: ClientCapabilities | undefined): boolean {
  const envelope = request.envelope as Readonly<Record<string, ClientCapabilities>> | undefined
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY]
  const { elicitation } = declared ?? atStart ?? {}
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined)
}
