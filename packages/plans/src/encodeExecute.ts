import {
  COMMAND_BYTE,
  EXECUTE_SELECTOR,
  EXECUTE_WITH_DEADLINE_SELECTOR,
  type Hex,
  type RouterCall,
  type RouterLayout,
} from '@pit/chain'
import { arrayTail, bytesTail, size, uint } from '@pit/chain/words'
import { encodeCommand } from './encodeCommand.ts'

/** Calldata of `execute`. Throws if a value does not fit its word: a plan must never be truncated. */
export function encodeExecute(call: RouterCall, layout: RouterLayout = '2.1.0'): Hex {
  let commands = ''
  const inputs: string[] = []
  for (const command of call.commands) {
    commands += COMMAND_BYTE[command.command]
    inputs.push(bytesTail(encodeCommand(command, layout)))
  }
  const first = bytesTail(commands)
  const timed = call.deadlineS !== undefined
  const heads = timed ? 0x60 : 0x40
  const digits =
    (timed ? EXECUTE_WITH_DEADLINE_SELECTOR : EXECUTE_SELECTOR) +
    size(heads) +
    size(heads + (first.length >> 1)) +
    (call.deadlineS === undefined ? '' : uint(call.deadlineS)) +
    first +
    arrayTail(inputs)
  return `0x${digits.toLowerCase()}`
}
