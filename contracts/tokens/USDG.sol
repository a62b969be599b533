// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {CoreToken} from "./CoreToken.sol";

/// @title The dollar of the chain.
contract USDG is CoreToken {
    constructor() CoreToken("Global Dollar", "USDG", 6) {}
}
