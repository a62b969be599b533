export { guideFullText, guideIndex, guideLlms } from './guideIndex.ts'
export { referencePage } from './reference.ts'
export { type Doc, type Guide, guidePath, headingId, renderGuide } from './renderGuide.ts'
