// SPDX-License-Identifier: MIT
pragma solidity 0.8.30;

import {Specimen} from "./Specimen.sol";

/// @title Answers name and symbol with two megabytes.
contract MegabyteReturner is Specimen {
    constructor(string memory n, string memory s, uint256 supply) Specimen(n, s, supply) {}

    function name() external pure override returns (string memory) {
        _flood();
    }

    function symbol() external pure override returns (string memory) {
        _flood();
    }

    function _flood() private pure {
        assembly {
            mstore(0, 32)
            mstore(32, 0x1fffc0)
            return(0, 0x200000)
        }
    }
}
