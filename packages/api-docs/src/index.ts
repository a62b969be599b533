export { errorsDoc } from './errorsDoc.ts'
export { llmsText } from './llms.ts'
export { openApi } from './openapi.ts'
export { rateRows } from './rateRows.ts'
