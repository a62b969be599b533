// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {CoreToken} from "./CoreToken.sol";

/// @title The token linked to the platform; its mark is a pool's 30-minute TWAP.
contract Partner is CoreToken {
    constructor() CoreToken("Partner", "PARTNER", 18) {}
}
